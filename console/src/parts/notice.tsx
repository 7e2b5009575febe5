import type { ComponentChildren, JSX } from 'preact';
import type { Loaded } from '../live.js';
import { words } from '../words/index.js';

interface FailureProps {
  readonly text: string;
  readonly onRetry?: () => void;
}

export function Failure({ text, onRetry }: FailureProps): JSX.Element {
  return (
    <p class="notice" role="alert">
      {text}{' '}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          {words.retry}
        </button>
      )}
    </p>
  );
}

interface WhenLoadedProps<T> {
  readonly of: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** What a call answered, or that it is under way, or why it failed. */
export function WhenLoaded<T>({ of, children }: WhenLoadedProps<T>): JSX.Element {
  if (of.failure !== undefined) return <Failure text={of.failure} onRetry={of.reload} />;
  if (of.value === undefined) return <p role="status">{words.loading}</p>;
  return <>{children(of.value)}</>;
}

export type Tone = 'good' | 'bad' | 'waits' | 'plain';

/** A state in a word, told by its text and not by its colour alone. */
export function Badge({
  tone = 'plain',
  text,
}: {
  readonly tone?: Tone;
  readonly text: string;
}): JSX.Element {
  return <span class={`badge ${tone}`}>{text}</span>;
}
