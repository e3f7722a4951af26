import { create } from 'zustand';

/** A change waits for the PIN of the person at this page. */
interface PinQuestion {
  /** False: there is none yet, and one is chosen now. */
  readonly isChosen: boolean;
  readonly answer: Promise<boolean>;
  /** True once the host has taken the PIN; false where the person gave up. */
  readonly settle: (isEntered: boolean) => void;
}

/** The question that is shown now. */
export const usePinQuestion = create<{ readonly question: PinQuestion | null }>(() => ({ question: null }));

/** Asks for the PIN, once for all changes that wait for it. Resolves to false where the person gives up. */
export function askPin(isChosen: boolean): Promise<boolean> {
  const { question } = usePinQuestion.getState();
  if (question !== null) return question.answer;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const settle = (isEntered: boolean): void => {
    usePinQuestion.setState({ question: null });
    resolve(isEntered);
  };
  usePinQuestion.setState({ question: { isChosen, answer: promise, settle } });
  return promise;
}
