import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { words } from '../words/index.js';

interface CopyProps {
  readonly label: string;
  /** What is copied, for those who hear the button. */
  readonly of: string;
  readonly text: string;
}

/** Puts a text on the clipboard. */
export function Copy({ label, of, text }: CopyProps): JSX.Element {
  const [outcome, setOutcome] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome(words.copied);
    } catch {
      // Browsers may refuse, and have no clipboard over plain http.
      setOutcome(words.notCopied);
    }
  };
  return (
    <span class="copy">
      <button type="button" aria-label={`${label}: ${of}`} onClick={() => void copy()}>
        {label}
      </button>{' '}
      <span role="status">{outcome}</span>
    </span>
  );
}
