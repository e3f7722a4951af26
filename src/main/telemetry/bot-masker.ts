import { createMasker } from './mask/create-masker.ts';

export type BotMasker = ReturnType<typeof createMasker>;
