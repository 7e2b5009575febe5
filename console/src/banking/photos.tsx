import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Choice } from '../parts/field.jsx';
import { IMAGE_TYPES } from '../parts/form.jsx';
import { UploadForm } from '../parts/upload-form.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type Side = components['schemas']['KycImageSide'];

const W = words.banking.photos;

/** Photos for a case that is not decided yet. */
export function Photos({ kycId }: { readonly kycId: string }): JSX.Element {
  const [side, setSide] = useState<Side>('front');
  const send = async (file: File, key: string): Promise<string> => {
    const form = new FormData();
    form.set('side', side);
    form.set('file', file);
    const image = await session.value.client.post('/kyc/{kyc_id}/images', {
      params: { path: { kyc_id: kycId } },
      body: form,
      headers: { 'Idempotency-Key': `${key}-${side}` },
    });
    return W.uploaded({ side: W.sides[image.side], kilobytes: Math.ceil(image.size_bytes / 1024) });
  };
  return (
    <section class="panel">
      <h2>{W.title}</h2>
      <p class="hint">{W.what}</p>
      <UploadForm
        label={W.title}
        submit={W.upload}
        fileLabel={W.file}
        accept={IMAGE_TYPES}
        fields={['side']}
        send={send}
      >
        {(file, { errors }) => (
          <>
            {file !== null && <Thumbnail file={file} />}
            <Choice label={W.side} value={side} options={W.sides} onChange={setSide} error={errors['side']} />
          </>
        )}
      </UploadForm>
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
