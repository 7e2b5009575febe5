import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { words } from '../words/index.js';
import { type Action, FileField, Form, useAction, useOwnKey } from './form.jsx';

interface UploadFormProps {
  readonly label: string;
  readonly submit: string;
  readonly fileLabel: string;
  /** As the attribute of the input: `image/png,image/jpeg`. */
  readonly accept: string;
  readonly hint?: string;
  /** The fields beside `file` that can show an error of the service. */
  readonly fields?: readonly string[];
  /** What else the form asks for, and what it shows of the chosen file. */
  readonly children?: (file: File | null, action: Action) => ComponentChildren;
  /** Answers what was achieved. The key stays the same until that is known. */
  readonly send: (file: File, key: string) => Promise<string>;
}

/** A form that sends one file, and asks for the next. */
export function UploadForm(props: UploadFormProps): JSX.Element {
  const { label, submit, fileLabel, accept, hint, fields = [], children, send } = props;
  const [file, setFile] = useState<File | null>(null);
  const [isMissing, setMissing] = useState(false);
  // A file input cannot be emptied but by another one.
  const [round, setRound] = useState(0);
  const action = useAction(['file', ...fields]);
  const key = useOwnKey([file?.name, file?.size, file?.lastModified, round]);
  const upload = async (chosen: File): Promise<string> => {
    const outcome = await send(chosen, key.current);
    setFile(null);
    setRound(round + 1);
    return outcome;
  };
  const onSubmit = (): void => {
    setMissing(file === null);
    if (file !== null) void action.run(() => upload(file));
  };
  return (
    <Form label={label} submit={submit} action={action} onSubmit={onSubmit}>
      <FileField
        key={round}
        label={fileLabel}
        accept={accept}
        hint={hint}
        onChange={(next) => {
          setFile(next);
          setMissing(false);
        }}
        error={isMissing ? words.chooseFile : action.errors['file']}
      />
      {children?.(file, action)}
    </Form>
  );
}
