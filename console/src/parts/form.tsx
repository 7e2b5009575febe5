import { TradepostError } from '@tradepost/client';
import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { wordsOf } from '../live.js';
import { withProof } from '../step-up.js';
import { words } from '../words/index.js';
import { Field } from './field.jsx';

export interface Action {
  readonly isBusy: boolean;
  /** By the fields of the API that they are about. */
  readonly errors: Readonly<Record<string, string>>;
  /** What is about no field that is shown. */
  readonly failure: string;
  /** What was achieved. */
  readonly message: string;
  /**
   * Runs the work, once at a time, and tells the message that it answers.
   * @returns whether it succeeded
   */
  readonly run: (work: () => Promise<string | undefined>) => Promise<boolean>;
  readonly reset: () => void;
}

interface ActionState {
  readonly errors: Readonly<Record<string, string>>;
  readonly failure: string;
  readonly message: string;
}

const QUIET: ActionState = { errors: {}, failure: '', message: '' };

/** Something that a person asks the service for. `fields` are those that can show an error beside themselves. */
export function useAction(fields: readonly string[] = []): Action {
  const [state, setState] = useState(QUIET);
  const [isBusy, setBusy] = useState(false);
  const running = useRef(false);
  const run = async (work: () => Promise<string | undefined>): Promise<boolean> => {
    // A state is known with the next rendering alone, and Enter may be pressed twice before that.
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setState(QUIET);
    try {
      const message = await withProof(work);
      setState({ ...QUIET, message: message ?? '' });
      return true;
    } catch (error) {
      setState({ ...QUIET, ...failureOf(error, fields) });
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { ...state, isBusy, run, reset: () => setState(QUIET) };
}

function failureOf(error: unknown, fields: readonly string[]): Pick<ActionState, 'errors' | 'failure'> {
  const text = wordsOf(error);
  if (!(error instanceof TradepostError)) return { errors: {}, failure: text };
  const beside = error.details.filter(({ field }) => fields.includes(field));
  const errors = Object.fromEntries(beside.map(({ field, message }) => [field, message]));
  const others = error.details.filter(({ field }) => !fields.includes(field));
  if (beside.length > 0 && others.length === 0) return { errors, failure: '' };
  return { errors, failure: [text, ...others.map(({ field, message }) => `${field}: ${message}`)].join(' ') };
}

/**
 * A key that stays the same until the service has answered, so that whoever tries again after an answer that was lost
 * asks for the same thing and not for another one. It changes with what is asked for.
 */
export function useOwnKey(draft: unknown): { readonly current: string; readonly renew: () => void } {
  const text = JSON.stringify(draft);
  const known = useRef<{ readonly text: string; readonly key: string } | undefined>(undefined);
  const renew = (): void => {
    known.current = { text, key: crypto.randomUUID() };
  };
  if (known.current?.text !== text) renew();
  return {
    get current() {
      return known.current!.key;
    },
    renew,
  };
}

/** What became of an action, told to screen readers, too. */
export function Outcome({ of: { failure, message } }: { readonly of: Action }): JSX.Element {
  return (
    <>
      {failure !== '' && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
      <p class="outcome" role="status">
        {message}
      </p>
    </>
  );
}

interface FormProps {
  readonly label: string;
  readonly submit: string;
  readonly action: Action;
  readonly onSubmit: () => void;
  readonly children?: ComponentChildren;
}

/** Fields, a button, and what became of it. Enter sends it. */
export function Form({ label, submit, action, onSubmit, children }: FormProps): JSX.Element {
  return (
    <form
      class="form"
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <div class="row">
        <button type="submit" class="primary" disabled={action.isBusy}>
          {action.isBusy ? words.working : submit}
        </button>
      </div>
      <Outcome of={action} />
    </form>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string | undefined;
  readonly hint?: string | undefined;
  readonly type?: 'text' | 'password' | 'date' | 'datetime-local' | 'search' | 'url' | 'email';
  readonly autoComplete?: string;
  /** Several lines. */
  readonly rows?: number;
}

export function TextField(props: TextFieldProps): JSX.Element {
  const { label, value, onChange, error, hint, type = 'text', autoComplete = 'off', rows } = props;
  return (
    <Field
      label={label}
      error={error}
      hint={hint}
      render={(attributes) =>
        rows === undefined ? (
          <input
            {...attributes}
            // Preact tells inputs apart by their types one by one; these are all texts.
            {...({ type } as { type: 'text' })}
            autoComplete={autoComplete}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        ) : (
          <textarea
            {...attributes}
            rows={rows}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        )
      }
    />
  );
}

/** The pictures that the service takes. */
export const IMAGE_TYPES = 'image/png,image/jpeg,image/gif,image/webp';

interface FileFieldProps {
  readonly label: string;
  /** As the attribute of the input: `image/png,image/jpeg`. */
  readonly accept: string;
  readonly onChange: (file: File | null) => void;
  readonly error?: string | undefined;
  readonly hint?: string | undefined;
}

export function FileField({ label, accept, onChange, error, hint }: FileFieldProps): JSX.Element {
  return (
    <Field
      label={label}
      error={error}
      hint={hint}
      render={(attributes) => (
        <input
          {...attributes}
          type="file"
          accept={accept}
          onChange={(event) => onChange(event.currentTarget.files?.[0] ?? null)}
        />
      )}
    />
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

export function Check({ label, checked, onChange }: CheckProps): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
