import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { words } from '../words/index.js';
import { Dialog } from './dialog.jsx';
import { type Action, Outcome, useAction } from './form.jsx';

interface ConfirmProps {
  /** The button, and what is confirmed. */
  readonly label: string;
  /** What it is done to, for those who hear a list of such buttons. */
  readonly of?: string;
  /** What will happen. */
  readonly what: string;
  readonly isDangerous?: boolean;
  /** The fields that can show an error of the service. */
  readonly fields?: readonly string[];
  /** What else the dialog asks for. */
  readonly children?: (action: Action) => ComponentChildren;
  readonly work: () => Promise<unknown>;
  /** Once it is done, and the dialog is closed. */
  readonly onDone: () => void;
}

/** A button for what cannot be taken back: it says what will happen, and asks. */
export function Confirm(props: ConfirmProps): JSX.Element {
  const { label, of, what, isDangerous = true, fields, children, work, onDone } = props;
  const [isOpen, setOpen] = useState(false);
  const action = useAction(fields);
  const close = (): void => {
    setOpen(false);
    action.reset();
  };
  const send = async (): Promise<void> => {
    const isDone = await action.run(async () => {
      await work();
      return undefined;
    });
    if (!isDone) return;
    close();
    onDone();
  };
  const name = of === undefined ? label : `${label}: ${of}`;
  return (
    <>
      <button type="button" aria-label={name} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={name} onClose={close}>
          <form
            class="form"
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              void send();
            }}
          >
            <p>{what}</p>
            {children?.(action)}
            <div class="row">
              <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={action.isBusy}>
                {action.isBusy ? words.working : label}
              </button>
            </div>
            <Outcome of={action} />
          </form>
        </Dialog>
      )}
    </>
  );
}
