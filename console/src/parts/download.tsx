import type { JSX } from 'preact';
import { Outcome, useAction } from './form.jsx';

interface DownloadProps {
  readonly label: string;
  readonly fileName: string;
  /** Asks for the file: `client.response(path, { headers: { Accept: 'text/csv' } })`. */
  readonly open: () => Promise<Response>;
}

/** Saves an answer of the service as a file: a link could not send the credential. */
export function Download({ label, fileName, open }: DownloadProps): JSX.Element {
  const action = useAction();
  const save = async (): Promise<undefined> => {
    const address = URL.createObjectURL(await (await open()).blob());
    const link = document.createElement('a');
    link.href = address;
    link.download = fileName;
    link.click();
    // The browser has taken what it needs by then.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    return undefined;
  };
  return (
    <span class="download">
      <button type="button" disabled={action.isBusy} onClick={() => void action.run(save)}>
        {label}
      </button>
      <Outcome of={action} />
    </span>
  );
}
