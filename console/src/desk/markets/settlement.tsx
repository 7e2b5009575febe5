import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../../decimal.js';
import { useLoaded, useLooks } from '../../live.js';
import { Confirm } from '../../parts/confirm.jsx';
import { Facts } from '../../parts/facts.jsx';
import { Amount } from '../../parts/field.jsx';
import { Form, useAction } from '../../parts/form.jsx';
import { WhenLoaded } from '../../parts/notice.jsx';
import { Moment } from '../../parts/time.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { SettlementPreview } from './settlement-preview.jsx';

type Market = components['schemas']['MarketDto'];
type State = components['schemas']['SettlementStateDto'];

const W = words.deskMarkets;

interface SettlementProps {
  readonly market: Market;
  readonly onChanged: () => void;
}

/** How a market of events ends: its value, who gets what, how far that is, and what was wrong about it. */
export function Settlement({ market, onChanged }: SettlementProps): JSX.Element {
  const { market_id: id, status } = market;
  const loaded = useLoaded(`${id} ${status}`, (signal) =>
    session.value.client.get('/admin/markets/{market_id}/settlement', {
      params: { path: { market_id: id } },
      signal,
    }),
  );
  useLooks(loaded.value?.status === 'settling', loaded);
  const onDone = (): void => {
    loaded.reload();
    onChanged();
  };
  return (
    <section class="panel">
      <h2>{W.settlement}</h2>
      <WhenLoaded of={loaded}>
        {(state) => (
          <>
            <Progress state={state} asset={market.quote_asset} />
            {state.proposal !== null && (
              <Proposal marketId={id} proposal={state.proposal} onDone={loaded.reload} />
            )}
            {(state.status === 'closed' || state.status === 'settled') && (
              <Settle marketId={id} isSettled={state.status === 'settled'} onDone={onDone} />
            )}
            {['open', 'halted', 'scheduled'].includes(state.status) && <p class="empty">{W.notYet}</p>}
          </>
        )}
      </WhenLoaded>
    </section>
  );
}

function Progress({ state, asset }: { readonly state: State; readonly asset: string }): JSX.Element | null {
  if (state.settlement_value === null) return null;
  return (
    <>
      {state.status === 'settling' && (
        <label>
          {W.progress({ paid: state.paid, holders: state.holders })}{' '}
          <progress max={state.holders} value={state.paid} />
        </label>
      )}
      <Facts
        of={[
          [W.settledValue, state.settlement_value],
          [W.paid, `${grouped(state.amount_paid)} ${asset}`],
          [W.settledAt, state.settled_at && <Moment at={state.settled_at} />],
        ]}
      />
    </>
  );
}

interface ProposalProps {
  readonly marketId: string;
  readonly proposal: NonNullable<State['proposal']>;
  readonly onDone: () => void;
}

function Proposal({ marketId, proposal, onDone }: ProposalProps): JSX.Element {
  return (
    <div class="row">
      <p>{W.proposal({ by: proposal.proposed_by, value: proposal.settlement_value })}</p>
      <Confirm
        label={W.withdraw}
        what={W.withdrawWhat}
        work={() =>
          session.value.client.delete('/admin/markets/{market_id}/settlement/proposal', {
            params: { path: { market_id: marketId } },
          })
        }
        onDone={onDone}
      />
    </div>
  );
}

interface SettleProps {
  readonly marketId: string;
  /** Then it is a correction. */
  readonly isSettled: boolean;
  readonly onDone: () => void;
}

/** Nothing is settled before it was previewed at the same value. */
function Settle({ marketId, isSettled, onDone }: SettleProps): JSX.Element {
  const [value, setValue] = useState('');
  const [previewed, setPreviewed] = useState<string | undefined>(undefined);
  const action = useAction(['settlement_value']);
  const { client } = session.value;
  const params = { path: { market_id: marketId } };
  const preview = async (): Promise<undefined> => {
    setPreviewed(undefined);
    const body = { settlement_value: value };
    await client.post('/admin/markets/{market_id}/settlement/preview', { params, body });
    setPreviewed(value);
  };
  const settle = (settlementValue: string): Promise<unknown> =>
    isSettled
      ? client.post('/admin/markets/{market_id}/settlement/correction', {
          params,
          body: { settlement_value: settlementValue },
        })
      : client.patch('/admin/markets/{market_id}', {
          params,
          body: { status: 'settled', settlement_value: settlementValue },
        });
  const title = isSettled ? W.correct : W.settle;
  return (
    <>
      <Form label={title} submit={W.preview} action={action} onSubmit={() => void action.run(preview)}>
        <Amount
          label={W.value}
          unit=""
          value={value}
          onChange={(next) => {
            setValue(next);
            setPreviewed(undefined);
          }}
          hint={W.valueHint}
          error={action.errors['settlement_value']}
        />
      </Form>
      {previewed !== undefined && (
        <>
          <SettlementPreview marketId={marketId} value={previewed} />
          <div>
            <Confirm
              label={title}
              of={marketId}
              what={isSettled ? W.correctWhat({ value: previewed }) : W.settleWhat({ value: previewed })}
              work={() => settle(previewed)}
              onDone={() => {
                setPreviewed(undefined);
                onDone();
              }}
            />
          </div>
        </>
      )}
    </>
  );
}
