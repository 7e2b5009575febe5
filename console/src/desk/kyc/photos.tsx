import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Outcome, useAction } from '../../parts/form.jsx';
import { Moment } from '../../parts/time.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type Image = components['schemas']['KycImageDto'];

const W = words.deskKyc;
const SIDES = words.banking.photos.sides;

interface CasePhotosProps {
  readonly kycId: string;
  readonly images: readonly Image[];
}

export function CasePhotos({ kycId, images }: CasePhotosProps): JSX.Element {
  return (
    <section class="panel">
      <h2>{W.photos}</h2>
      <p class="hint">{images.length === 0 ? W.noPhotos : W.photoHint}</p>
      {images.map((image) => (
        <CasePhoto key={image.image_id} kycId={kycId} image={image} />
      ))}
    </section>
  );
}

/** Fetched with the operator's credential once it is asked for, since each look is recorded. */
function CasePhoto({ kycId, image }: { readonly kycId: string; readonly image: Image }): JSX.Element {
  const [address, setAddress] = useState<string | null>(null);
  const action = useAction();
  const side = SIDES[image.side];
  useEffect(() => () => URL.revokeObjectURL(address ?? ''), [address]);
  const show = async (): Promise<undefined> => {
    const path = { kyc_id: kycId, image_id: image.image_id };
    const response = await session.value.client.response('/admin/kyc/{kyc_id}/images/{image_id}', {
      params: { path },
    });
    setAddress(URL.createObjectURL(await response.blob()));
    return undefined;
  };
  return (
    <figure>
      <figcaption>
        {side} · <Moment at={image.created_at} />
      </figcaption>
      {address === null ? (
        <button
          type="button"
          aria-label={W.showPhoto({ side })}
          disabled={action.isBusy}
          onClick={() => void action.run(show)}
        >
          {W.show}
        </button>
      ) : (
        <img class="photo" src={address} alt={side} />
      )}
      <Outcome of={action} />
    </figure>
  );
}
