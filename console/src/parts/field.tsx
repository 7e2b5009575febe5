import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly error?: string | undefined;
  readonly hint?: string | undefined;
  readonly render: (attributes: FieldAttributes) => ComponentChildren;
}

/** What ties an input to its label, its hint and its error. */
export interface FieldAttributes {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

/** A labelled input, with its error beside it. */
export function Field({ label, error, hint, render }: FieldProps): JSX.Element {
  const id = useId();
  const describedBy = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {render({ id, 'aria-invalid': error !== undefined, 'aria-describedby': describedBy || undefined })}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} class="error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: Readonly<Partial<Record<Value, string>>>;
  readonly onChange: (value: Value) => void;
  readonly error?: string | undefined;
  readonly hint?: string | undefined;
}

export function Choice<Value extends string>(props: ChoiceProps<Value>): JSX.Element {
  const { label, value, options, onChange, error, hint } = props;
  return (
    <Field
      label={label}
      error={error}
      hint={hint}
      render={(attributes) => (
        <select
          {...attributes}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value as Value)}
        >
          {(Object.entries(options) as [string, string][]).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    />
  );
}

interface AmountProps {
  readonly label: string;
  readonly value: string;
  readonly unit: string;
  readonly onChange: (value: string) => void;
  readonly error?: string | undefined;
  readonly hint?: string | undefined;
}

/** A decimal, which stays a text from the keyboard to the service. */
export function Amount({ label, value, unit, onChange, error, hint }: AmountProps): JSX.Element {
  return (
    <Field
      label={label}
      error={error}
      hint={hint}
      render={(attributes) => (
        <span class="amount">
          <input
            {...attributes}
            type="text"
            inputMode="decimal"
            autoComplete="off"
            value={value}
            onInput={(event) => onChange(event.currentTarget.value.trim().replace(',', '.'))}
          />
          <span class="unit">{unit}</span>
        </span>
      )}
    />
  );
}
