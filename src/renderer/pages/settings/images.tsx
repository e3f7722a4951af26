import { Download } from 'lucide-react';
import { useEffect } from 'react';
import type { ImageInfo } from '../../../contract/host.ts';
import type { Input } from '../../../contract/operations.ts';
import { formatBytes } from '../../../shared/format-quantity.ts';
import { hintHere } from '../../../shared/npx-command.ts';
import { Ticked } from '../../components/backtick-text.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import table from '../../components/table.module.css';
import { Table } from '../../components/table.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { toastFailed } from '../../data/toasts.ts';
import { useCall } from '../../data/use-call.ts';
import { shareOf } from './pull-progress.ts';
import styles from './settings.module.css';

const LOOK_MS = 700;

function State({ image }: { readonly image: ImageInfo }) {
  const { pull, present, size_bytes, problem } = image;
  if (pull !== null) {
    const share = shareOf(pull);
    return (
      <>
        <progress
          className={styles.progress}
          aria-label={`Fetching ${image.image}`}
          {...(share === null ? {} : { value: share })}
        />
        <p className={styles.dim}>{pull.text}</p>
      </>
    );
  }
  return (
    <>
      {present
        ? `Here, ${size_bytes === null ? 'size unknown' : formatBytes(size_bytes)}`
        : 'Fetched with its first bot'}
      {problem === null ? null : (
        <p className={styles.warn}>
          <Ticked text={hintHere(`${problem.message} ${problem.hint ?? ''}`)} />
        </p>
      )}
    </>
  );
}

/** The images of bots, with the progress of pulls. */
export function ImagesSection() {
  const { socket } = useHost();
  const images = useCall('images.list', {});
  const { data, error, reload } = images;
  const isPulling = data?.items.some(({ pull }) => pull !== null) ?? false;
  // Each answer asks for the next as long as something is under way.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `data` is the answer that the next look waits for
  useEffect(() => {
    if (!isPulling) return;
    const timer = setTimeout(reload, LOOK_MS);
    return () => clearTimeout(timer);
  }, [isPulling, data, reload]);
  const pull = (runtime: string): void => {
    // The host itself gave this name, so it is a runtime.
    socket.call('images.pull', { runtime: runtime as Input<'images.pull'>['runtime'] }).then(reload, (thrown) => {
      toastFailed(`The image of ${runtime} cannot be fetched`, thrown);
    });
  };
  return (
    <Section title="Images" about="Containers of bots start from these, one for each runtime.">
      {error === null ? null : <ErrorNote error={error} />}
      {data === null ? (
        error === null ? (
          <Skeleton rows={5} />
        ) : null
      ) : (
        <Table heads={['Runtime', 'Image', 'State']} actions="Fetch">
          {data.items.map((image) => (
            <tr key={image.runtime}>
              <td className={table.line}>{image.runtime}</td>
              <td className={table.code} data-head="Image">
                <code>{image.image}</code> {image.chosen ? <span className={table.dim}>(settings)</span> : null}
              </td>
              <td className={table.words} data-head="State">
                <State image={image} />
              </td>
              <td className={table.end}>
                <Button
                  kind="quiet"
                  icon={<Download aria-hidden="true" />}
                  disabled={image.pull !== null}
                  aria-label={`${image.present ? 'Fetch again' : 'Fetch'} the image of ${image.runtime}`}
                  onClick={() => pull(image.runtime)}
                >
                  {image.present ? 'Fetch again' : 'Fetch'}
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
