import type { JSX } from 'preact';
import { words } from '../words/index.js';
import { Copy } from './copy.jsx';

interface SecretProps {
  /** What it is, such as a key. */
  readonly label: string;
  readonly value: string;
}

/** What the service shows this once. */
export function Secret({ label, value }: SecretProps): JSX.Element {
  return (
    <div class="secret" role="status">
      <p>
        <strong>{label}</strong> {words.shownOnce}
      </p>
      <p class="row">
        <code>{value}</code>
        <Copy label={words.copy} of={label} text={value} />
      </p>
    </div>
  );
}
