import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Choice } from '../parts/field.jsx';
import { FileField, Form, useAction, useOwnKey } from '../parts/form.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type Side = components['schemas']['KycImageSide'];

const W = words.banking.photos;

/** Photos for a case that is not decided yet. */
export function Photos({ kycId }: { readonly kycId: string }): JSX.Element {
  const [side, setSide] = useState<Side>('front');
  const [file, setFile] = useState<File | null>(null);
  // A file input cannot be emptied but by another one.
  const [round, setRound] = useState(0);
  const action = useAction(['side', 'file']);
  const key = useOwnKey([side, file?.name, file?.size, file?.lastModified, round]);
  const [isMissing, setMissing] = useState(false);
  const upload = async (): Promise<string> => {
    const form = new FormData();
    form.set('side', side);
    form.set('file', file!);
    const image = await session.value.client.post('/kyc/{kyc_id}/images', {
      params: { path: { kyc_id: kycId } },
      body: form,
      headers: { 'Idempotency-Key': key.current },
    });
    setFile(null);
    setRound(round + 1);
    return W.uploaded(W.sides[image.side], Math.ceil(image.size_bytes / 1024));
  };
  const submit = (): void => {
    setMissing(file === null);
    if (file !== null) void action.run(upload);
  };
  return (
    <section class="panel">
      <h2>{W.title}</h2>
      <p class="hint">{W.what}</p>
      <Form label={W.title} submit={W.upload} action={action} onSubmit={submit}>
        <Choice
          label={W.side}
          value={side}
          options={W.sides}
          onChange={setSide}
          error={action.errors['side']}
        />
        <FileField
          key={round}
          label={W.file}
          accept="image/png,image/jpeg,image/gif,image/webp"
          onChange={(next) => {
            setFile(next);
            setMissing(false);
          }}
          error={isMissing ? W.none : action.errors['file']}
        />
        {file !== null && <Thumbnail file={file} />}
      </Form>
    </section>
  );
}

function Thumbnail({ file }: { readonly file: File }): JSX.Element | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return address === null ? null : <img class="photo" src={address} alt={W.chosen} />;
}
