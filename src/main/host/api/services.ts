import type { AuditWords } from '../../../contract/audit-words.ts';
import type { Runtime } from '../../../contract/custom-bot.ts';
import type { HostInfo, ImageInfo } from '../../../contract/host.ts';
import type { BotChangeKind } from '../../../contract/operation.ts';
import type { AssistantName } from '../../../shared/assistants.ts';
import type { Alarms } from '../alarms/alarms.ts';
import type { DeadMan } from '../alarms/dead-man.ts';
import type { Armings } from '../arming/armings.ts';
import type { Auth } from '../auth/auth.ts';
import type { Pins } from '../auth/pins.ts';
import type { Backups } from '../backup/backup-runner.ts';
import type { StorageMonitor } from '../backup/storage-monitor.ts';
import type { BotBus } from '../bots/bot-bus.ts';
import type { CopiedFolder } from '../bots/copied-folder.ts';
import type { Diagnosis } from '../bots/failure/diagnosis.ts';
import type { Isolation } from '../bots/isolation.ts';
import type { StagedChanges } from '../bots/staged-changes.ts';
import type { Supervisor } from '../bots/supervisor.ts';
import type { UnitSpecs } from '../bots/unit-spec.ts';
import type { BotRecords } from '../bots/wire-records.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Samples } from '../catalog/samples.ts';
import type { Trials } from '../catalog/trials.ts';
import type { BotStore } from '../control/bot-store.ts';
import type { EventStore } from '../control/event-store.ts';
import type { PreferenceStore } from '../control/preference-store.ts';
import type { AllowedInterpreters } from '../engine/allowed-interpreters.ts';
import type { BotNetworks } from '../gate/bot-networks.ts';
import type { Guards } from '../guards/guards.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import type { Projects } from '../projects/projects.ts';
import type { QueryService } from '../query/query-service.ts';
import type { StateStore } from '../state/state-store.ts';
import type { NamedSecrets } from '../vault/named-secrets.ts';
import type { Vault } from '../vault/vault.ts';
import type { BotServices } from './bot-services.ts';
import type { AssistantSetUpParts } from './set-up-assistant.ts';

/** The images in which bots run. Both throw ENGINE_UNAVAILABLE when no container engine answers. */
export interface ImageOperations {
  list(): Promise<ImageInfo[]>;
  /** Begins to fetch an image unless that is under way; returns what is known at once. */
  startPull(runtime: Runtime): Promise<ImageInfo>;
}

/** Services that the operations use; built by host/. */
export interface Services extends BotServices {
  readonly auth: Auth;
  readonly pins: Pins;
  readonly catalog: Catalog;
  readonly samples: Samples;
  readonly trials: Pick<Trials, 'run'>;
  readonly projects: Projects;
  readonly bots: BotStore;
  readonly events: EventStore;
  readonly preferences: PreferenceStore;
  readonly alarms: Alarms;
  readonly vault: Pick<Vault, 'keyId' | 'isOpen' | 'recoveryShownAt' | 'recoveryKey' | 'restoreKey' | 'newKey'>;
  readonly secrets: NamedSecrets;
  /** Seals everything secret under the present key. */
  readonly sealAll: () => void;
  readonly deadMan: Pick<DeadMan, 'info' | 'set'>;
  readonly bus: BotBus;
  readonly guards: Pick<Guards, 'list' | 'loosens' | 'set' | 'copy' | 'remove'>;
  readonly armings: Pick<Armings, 'shown' | 'followGuards' | 'endNow'>;
  readonly staged: Pick<StagedChanges, 'of'>;
  /** Arms, once, the bots that held live secrets before there were armings. The key of the host must be there. */
  readonly armExisting: () => void;
  readonly networks: Pick<BotNetworks, 'read' | 'change' | 'loosens' | 'refuseLooser' | 'copy'>;
  readonly isolation: Pick<Isolation, 'levelOf'>;
  readonly records: BotRecords;
  readonly supervisor: Supervisor;
  readonly copiedFolder: CopiedFolder;
  readonly diagnosis: Diagnosis;
  readonly unitSpecs: UnitSpecs;
  readonly telemetry: Telemetry;
  readonly state: StateStore;
  readonly query: QueryService;
  readonly images: ImageOperations;
  readonly interpreters: Pick<AllowedInterpreters, 'list' | 'allow' | 'remove'>;
  readonly backups: Pick<Backups, 'list' | 'make'>;
  readonly storage: Pick<StorageMonitor, 'info' | 'change'>;
  /** True if the AI assistant seems to be installed on this machine. */
  readonly isHere: (assistant: AssistantName) => boolean;
  /** How an assistant on this machine is set up. */
  readonly assistantSetUp: AssistantSetUpParts;
  /** Audit words of each call of an assistant, by the call's name in the audit trail. */
  readonly assistantWords: ReadonlyMap<string, AuditWords>;
  /** Change of a bot by each call of an assistant, by the call's name in the audit trail. */
  readonly assistantChanges: ReadonlyMap<string, BotChangeKind>;
  readonly newRunId: () => string;
  readonly now: () => number;
  /** Facts about the host without the caller's own counts. */
  readonly hostInfo: () => Promise<Omit<HostInfo, 'bots'>>;
  /** Called when due times may have changed: the scheduler looks again at once. */
  readonly rescheduled: () => void;
  readonly stopHost: (leaveBots: boolean) => void;
  /** Receives faults of which the answer tells little. */
  readonly onError: (where: string, error: unknown) => void;
}
