import { ChevronDown, ChevronUp, ListFilter, Search, X } from 'lucide-react';
import type { KeyboardEvent, Ref } from 'react';
import type { SearchState } from './log-search.ts';
import { hitsInWords } from './search-result-words.ts';
import styles from './toolbar.module.css';

interface SearchBoxProps {
  readonly text: string;
  readonly state: SearchState;
  readonly only: boolean;
  readonly onText: (text: string) => void;
  readonly onOnly: (only: boolean) => void;
  readonly onStep: (direction: 'older' | 'newer') => void;
  readonly onLeave: () => void;
  readonly ref: Ref<HTMLInputElement>;
}

/** Looks for a text: how many lines have it, which match is selected, and a switch that hides the others. */
export function SearchBox({ text, state, only, onText, onOnly, onStep, onLeave, ref }: SearchBoxProps) {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      onStep(event.shiftKey ? 'newer' : 'older');
    } else if (event.key === 'Escape') {
      if (text !== '') onText('');
      else onLeave();
    }
  };
  const hasText = text !== '';
  const none = state.hits.length === 0;
  return (
    <search className={styles.search}>
      <Search className={styles.glass} aria-hidden="true" />
      <input
        ref={ref}
        type="text"
        className={styles.input}
        placeholder="Search the whole log"
        aria-label="Search the whole log"
        maxLength={500}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
        spellCheck={false}
      />
      {hasText ? (
        <>
          <output className={styles.hits} data-none={none && state.complete} aria-live="polite">
            {hitsInWords(state)}
          </output>
          <button
            type="button"
            className={styles.step}
            disabled={none}
            title="Older hit (Enter)"
            aria-label="Older hit"
            onClick={() => onStep('older')}
          >
            <ChevronUp aria-hidden="true" />
          </button>
          <button
            type="button"
            className={styles.step}
            disabled={none}
            title="Newer hit (Shift+Enter)"
            aria-label="Newer hit"
            onClick={() => onStep('newer')}
          >
            <ChevronDown aria-hidden="true" />
          </button>
          <button
            type="button"
            className={styles.step}
            title="Clear (Escape)"
            aria-label="Clear the search"
            onClick={() => onText('')}
          >
            <X aria-hidden="true" />
          </button>
        </>
      ) : null}
      <button
        type="button"
        className={styles.only}
        aria-pressed={only}
        title="Show only the lines that match"
        onClick={() => onOnly(!only)}
      >
        <ListFilter aria-hidden="true" />
        Filter
      </button>
    </search>
  );
}
