import { type components, TradepostError } from '@tradepost/client';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Choice } from '../parts/field.jsx';
import { type Action, Form, TextField, useAction, useOwnKey } from '../parts/form.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { locale } from '../words/language.js';

type Submission = components['schemas']['SubmitKycDto'];

const W = words.banking.identity;

/** The fields by their paths in the body. */
type Path = keyof typeof W.fields;
type Draft = Readonly<Partial<Record<Path, string>>>;
type Errors = Readonly<Partial<Record<string, string>>>;
type Step = keyof typeof W.steps;

const STEPS: Readonly<Record<Step, readonly Path[]>> = {
  person: ['first_name', 'last_name', 'date_of_birth', 'nationality'],
  address: [
    'address.line1',
    'address.line2',
    'address.postal_code',
    'address.city',
    'address.region',
    'address.country',
  ],
  document: [
    'document.type',
    'document.number',
    'document.issuing_country',
    'document.expires_on',
    'document.mrz',
  ],
};
const NAMES = Object.keys(STEPS) as Step[];
const PATHS: readonly string[] = Object.values(STEPS).flat();
const OPTIONAL: readonly Path[] = ['address.line2', 'address.region', 'document.mrz'];
const DATES: readonly Path[] = ['date_of_birth', 'document.expires_on'];
const COUNTRIES: readonly Path[] = ['nationality', 'address.country', 'document.issuing_country'];
const COUNTRY_NAMES = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });

interface IdentityFormProps {
  readonly onSubmitted: () => void;
  /** Leads back to where there is something; undefined where nothing was submitted yet. */
  readonly onLeave: (() => void) | undefined;
}

/** Who one is, a step at a time. What the service refuses stands beside its field, in the step where that is. */
export function IdentityForm({ onSubmitted, onLeave }: IdentityFormProps): JSX.Element {
  const { draft, change, step, setStep, errors, action, next } = useIdentity(onSubmitted);
  const fields = useRef<HTMLDivElement | null>(null);
  const at = NAMES.indexOf(step);
  const goBack = at > 0 ? (): void => setStep(NAMES[at - 1]!) : onLeave;
  useEffect(() => {
    if (at > 0) fields.current?.querySelector<HTMLElement>('input, select')?.focus();
  }, [at]);
  return (
    <section class="panel">
      <h2>{W.start}</h2>
      <p role="status">
        <strong>{W.stepOf({ at: at + 1, count: NAMES.length, name: W.steps[step] })}</strong>
      </p>
      <Form
        label={W.start}
        submit={at === NAMES.length - 1 ? W.submit : W.next}
        action={action}
        onSubmit={next}
      >
        <div ref={fields} class="form">
          {STEPS[step].map((path) => (
            <FieldAt
              key={path}
              path={path}
              value={draft[path] ?? ''}
              onChange={(value) => change(path, value)}
              error={errorOf(errors, path)}
            />
          ))}
        </div>
        {goBack !== undefined && (
          <div>
            <button type="button" onClick={goBack}>
              {W.back}
            </button>
          </div>
        )}
      </Form>
    </section>
  );
}

interface Identity {
  readonly draft: Draft;
  readonly change: (path: Path, value: string) => void;
  readonly step: Step;
  readonly setStep: (step: Step) => void;
  readonly errors: Errors;
  readonly action: Action;
  /** Goes on to the next step, or sends all of them after the last. */
  readonly next: () => void;
}

function useIdentity(onSubmitted: () => void): Identity {
  const [draft, setDraft] = useState<Draft>({ 'document.type': 'passport' });
  const [step, setStep] = useState<Step>('person');
  const [errors, setErrors] = useState<Errors>({});
  const action = useAction(PATHS);
  const key = useOwnKey(draft);
  /** Answers whether any of it stands beside a field. */
  const show = (found: Errors): boolean => {
    const first = NAMES.find((name) => STEPS[name].some((path) => errorOf(found, path) !== undefined));
    setErrors(found);
    if (first !== undefined) setStep(first);
    return first !== undefined;
  };
  const send = async (): Promise<string | undefined> => {
    try {
      const { status, requirements } = await session.value.client.post('/kyc', {
        body: submissionOf(draft),
        headers: { 'Idempotency-Key': key.current },
      });
      key.renew();
      if (status === 'rejected' && show(byField(requirements))) return W.rejectedNow;
      onSubmitted();
      return undefined;
    } catch (error) {
      if (error instanceof TradepostError) show(byField(error.details));
      throw error;
    }
  };
  return {
    draft,
    change: (path, value) => setDraft({ ...draft, [path]: value }),
    step,
    setStep,
    errors,
    action,
    next() {
      const empty = STEPS[step].filter((path) => !OPTIONAL.includes(path) && !draft[path]?.trim());
      setErrors(Object.fromEntries(empty.map((path) => [path, W.needed])));
      if (empty.length > 0) return;
      const following = NAMES[NAMES.indexOf(step) + 1];
      if (following === undefined) void action.run(send);
      else setStep(following);
    },
  };
}

interface FieldAtProps {
  readonly path: Path;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
}

function FieldAt({ path, value, onChange, error }: FieldAtProps): JSX.Element {
  const label = W.fields[path];
  if (path === 'document.type') {
    return (
      <Choice
        label={label}
        value={value as keyof typeof W.kinds}
        options={W.kinds}
        onChange={onChange}
        error={error}
      />
    );
  }
  const isCountry = COUNTRIES.includes(path);
  return (
    <TextField
      label={label}
      value={value}
      type={DATES.includes(path) ? 'date' : 'text'}
      {...(path === 'document.mrz' && { rows: 3 })}
      onChange={(text) => onChange(isCountry ? text.trim().toUpperCase() : text)}
      hint={
        isCountry
          ? (countryName(value) ?? W.countryHint)
          : path in W.hints
            ? W.hints[path as keyof typeof W.hints]
            : undefined
      }
      error={error}
    />
  );
}

function countryName(code: string): string | undefined {
  return /^[A-Z]{2}$/.test(code) ? COUNTRY_NAMES.of(code) : undefined;
}

/** What is wrong with a field, or with something inside it. */
function errorOf(errors: Errors, path: Path): string | undefined {
  return errors[path] ?? Object.entries(errors).find(([field]) => field.startsWith(`${path}.`))?.[1];
}

function byField(faults: readonly { readonly field: string; readonly message: string }[]): Errors {
  return Object.fromEntries(faults.map(({ field, message }) => [field, message]));
}

function submissionOf(draft: Draft): Submission {
  const body: Record<string, unknown> = {};
  for (const path of PATHS as readonly Path[]) {
    const text = draft[path]?.trim() ?? '';
    if (text === '') continue;
    const value = path === 'document.mrz' ? text.split(/\s*\n\s*/) : text;
    const [outer, inner] = path.split('.') as [string, string | undefined];
    if (inner === undefined) body[outer] = value;
    else body[outer] = { ...(body[outer] as object | undefined), [inner]: value };
  }
  // Every path is one of this shape, and the service says what is wrong with the values.
  return body as unknown as Submission;
}
