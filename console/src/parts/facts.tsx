import type { ComponentChildren, JSX } from 'preact';

interface FactsProps {
  /** Names and values; what is null is left out. */
  readonly of: readonly (readonly [name: string, value: ComponentChildren])[];
}

/** What is known of something. */
export function Facts({ of: facts }: FactsProps): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value !== null &&
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
