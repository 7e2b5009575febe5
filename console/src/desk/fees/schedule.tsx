import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../../live.js';
import { Confirm } from '../../parts/confirm.jsx';
import { Facts } from '../../parts/facts.jsx';
import { Amount } from '../../parts/field.jsx';
import { type Action, Form, TextField, useAction } from '../../parts/form.jsx';
import { WhenLoaded } from '../../parts/notice.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link, navigate } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type Schedule = components['schemas']['FeeScheduleDto'];
type Tier = Schedule['tiers'][number];

const W = words.deskFees;
const FIRST_TIER: Tier = { volume_30d: '0', maker_fee_rate: '', taker_fee_rate: '' };
const RATES = ['volume_30d', 'maker_fee_rate', 'taker_fee_rate'] as const;
const TIERS_MAX = 20;

/** Every field of every tier can show what is wrong with it. */
const FIELDS = [
  'name',
  'volume_asset',
  ...Array.from({ length: TIERS_MAX }, (_, at) => RATES.map((rate) => `tiers.${at}.${rate}`)).flat(),
];

export function NewSchedule(): JSX.Element {
  return (
    <section class="panel">
      <h2>{W.parts.create}</h2>
      <Edit known={null} onSaved={(name) => navigate(`desk/fees/${name}`)} />
    </section>
  );
}

export function OneSchedule({ name }: { readonly name: string }): JSX.Element {
  const loaded = useLoaded(name, (signal) =>
    session.value.client.get('/admin/fee-schedules/{name}', { params: { path: { name } }, signal }),
  );
  return (
    <>
      <Link to="desk/fees">{W.back}</Link>
      <WhenLoaded of={loaded}>
        {(schedule) => (
          <section class="panel">
            <div class="row">
              <h2>{name}</h2>
              <Confirm
                label={W.remove}
                of={name}
                what={W.removeWhat}
                work={() =>
                  session.value.client.delete('/admin/fee-schedules/{name}', { params: { path: { name } } })
                }
                onDone={() => navigate('desk/fees')}
              />
            </div>
            <Facts
              of={[
                [W.accounts, schedule.accounts],
                [W.updated, <Moment at={schedule.updated_at} />],
              ]}
            />
            {schedule.rebates_capped && <p class="notice">{W.capped}</p>}
            <Edit known={schedule} onSaved={loaded.reload} />
          </section>
        )}
      </WhenLoaded>
    </>
  );
}

interface EditProps {
  /** Null where it is a new one. */
  readonly known: Schedule | null;
  readonly onSaved: (name: string) => void;
}

function Edit({ known, onSaved }: EditProps): JSX.Element {
  const [name, setName] = useState(known?.name ?? '');
  const [asset, setAsset] = useState(known?.volume_asset ?? '');
  const [tiers, setTiers] = useState<readonly Tier[]>(known?.tiers ?? [FIRST_TIER]);
  const action = useAction(FIELDS);
  const save = async (): Promise<string> => {
    await session.value.client.put('/admin/fee-schedules/{name}', {
      params: { path: { name } },
      body: { tiers: [...tiers], volume_asset: asset === '' ? null : asset },
    });
    onSaved(name);
    return W.saved;
  };
  return (
    <Form
      label={known === null ? W.parts.create : W.save}
      submit={W.save}
      action={action}
      onSubmit={() => void action.run(save)}
    >
      {known === null && (
        <TextField
          label={W.name}
          value={name}
          onChange={(text) => setName(text.trim())}
          hint={W.nameHint}
          error={action.errors['name']}
        />
      )}
      <TextField
        label={W.volumeAsset}
        value={asset}
        onChange={(text) => setAsset(text.trim())}
        error={action.errors['volume_asset']}
      />
      <Tiers tiers={tiers} errors={action.errors} unit={asset} onChange={setTiers} />
      {tiers.length < TIERS_MAX && (
        <div>
          <button type="button" onClick={() => setTiers([...tiers, { ...tiers.at(-1)!, volume_30d: '' }])}>
            {W.addTier}
          </button>
        </div>
      )}
    </Form>
  );
}

interface TiersProps {
  readonly tiers: readonly Tier[];
  readonly errors: Action['errors'];
  readonly unit: string;
  readonly onChange: (tiers: readonly Tier[]) => void;
}

function Tiers({ tiers, errors, unit, onChange }: TiersProps): JSX.Element {
  const change = (at: number, part: Partial<Tier>): void =>
    onChange(tiers.map((tier, place) => (place === at ? { ...tier, ...part } : tier)));
  const labels = { volume_30d: W.from, maker_fee_rate: W.maker, taker_fee_rate: W.taker };
  return (
    <>
      {tiers.map((tier, at) => (
        <fieldset key={at} class="tier">
          <legend>{W.tier({ place: at + 1 })}</legend>
          <div class="filters">
            {RATES.map((rate) => (
              <Amount
                key={rate}
                label={labels[rate]}
                value={tier[rate]}
                unit={rate === 'volume_30d' ? unit : ''}
                hint={rate === 'maker_fee_rate' && at === 0 ? W.makerHint : undefined}
                error={errors[`tiers.${at}.${rate}`]}
                onChange={(text) => change(at, { [rate]: text })}
              />
            ))}
            {tiers.length > 1 && (
              <button type="button" onClick={() => onChange(tiers.filter((_, place) => place !== at))}>
                {W.removeTier({ place: at + 1 })}
              </button>
            )}
          </div>
        </fieldset>
      ))}
    </>
  );
}
