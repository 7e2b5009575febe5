import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Check } from './form.jsx';

interface CheckListProps<Option extends string> {
  readonly label: string;
  readonly hint?: string;
  readonly options: readonly Option[];
  readonly chosen: readonly Option[];
  readonly onChange: (chosen: readonly Option[]) => void;
  readonly error?: string | undefined;
}

/** Any number of what there is to choose from. */
export function CheckList<Option extends string>(props: CheckListProps<Option>): JSX.Element {
  const { label, hint, options, chosen, onChange, error } = props;
  const id = useId();
  return (
    <fieldset class="check-list" aria-describedby={error === undefined ? undefined : `${id}-error`}>
      <legend>{label}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <div>
        {options.map((option) => (
          <Check
            key={option}
            label={option}
            checked={chosen.includes(option)}
            onChange={(isChecked) =>
              onChange(isChecked ? [...chosen, option] : chosen.filter((each) => each !== option))
            }
          />
        ))}
      </div>
      {error !== undefined && (
        <p id={`${id}-error`} class="error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
