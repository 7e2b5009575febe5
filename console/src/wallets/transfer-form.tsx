import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../decimal.js';
import { useLoaded } from '../live.js';
import { Amount, Choice } from '../parts/field.jsx';
import { Form, TextField, useAction, useOwnKey } from '../parts/form.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import type { Source } from './source.js';
import { callsOf, type NewTransfer, type Transfer } from './transfer-calls.js';

type Destination = NewTransfer['destination'];

const W = words.wallets.transfers;
const FIELDS = [
  'asset',
  'amount',
  'destination',
  'destination.account_id',
  'destination.wallet_id',
  'destination.chain',
  'destination.address',
];

interface Draft {
  readonly asset: string;
  readonly amount: string;
  readonly kind: Destination['type'];
  readonly chain: NonNullable<Destination['chain']>;
  /** Of the account or wallet, or the address outside. */
  readonly to: string;
}

function destinationOf({ kind, chain, to }: Draft): Destination {
  if (kind === 'account') return { type: kind, account_id: to };
  if (kind === 'wallet') return { type: kind, wallet_id: to };
  return { type: kind, chain, address: to };
}

function outcomeOf({ status }: Transfer): string {
  if (status === 'completed') return W.sent;
  return status === 'pending_approval' ? W.toApprove : W.underWay;
}

interface TransferFormProps {
  readonly source: Source;
  readonly onSent: () => void;
}

export function TransferForm({ source, onSent }: TransferFormProps): JSX.Element {
  return (
    <section class="panel">
      <h2>{W.make}</h2>
      {source.balances.length === 0 ? (
        <p class="empty">{W.nothing}</p>
      ) : (
        <Send source={source} onSent={onSent} />
      )}
    </section>
  );
}

/** Asks first what will be sent and where to, and sends it when that is confirmed as it stands. */
function Send({ source, onSent }: TransferFormProps): JSX.Element {
  const [draft, setDraft] = useState<Draft>({
    asset: source.balances[0]!.asset,
    amount: '',
    kind: source.kind === 'wallet' ? 'account' : 'wallet',
    chain: 'ethereum',
    to: '',
  });
  const [isChecked, setChecked] = useState(false);
  const action = useAction(FIELDS);
  const key = useOwnKey(draft);
  const change = (changes: Partial<Draft>): void => {
    setDraft({ ...draft, ...changes });
    setChecked(false);
  };
  const send = async (): Promise<string> => {
    const { asset, amount } = draft;
    const body = { asset, amount, destination: destinationOf(draft) };
    const transfer = await callsOf(source).send(body, key.current);
    key.renew();
    change({ amount: '' });
    onSent();
    return outcomeOf(transfer);
  };
  const submit = (): void => {
    if (!isChecked && draft.amount !== '' && draft.to !== '') {
      action.reset();
      setChecked(true);
    } else void action.run(send);
  };
  const available = source.balances.find(({ asset }) => asset === draft.asset)?.available ?? '0';
  const { errors } = action;
  return (
    <Form label={W.make} submit={isChecked ? W.send : W.check} action={action} onSubmit={submit}>
      <Choice
        label={words.wallets.asset}
        value={draft.asset}
        options={Object.fromEntries(source.balances.map(({ asset }) => [asset, asset]))}
        onChange={(asset) => change({ asset })}
        error={errors['asset']}
      />
      <Amount
        label={W.amount}
        value={draft.amount}
        unit={draft.asset}
        onChange={(amount) => change({ amount })}
        hint={W.has({ amount: grouped(available) })}
        error={errors['amount']}
      />
      <To source={source} draft={draft} onChange={change} errors={errors} />
      {isChecked && (
        <p role="status">
          <strong>
            {W.about({ amount: `${draft.amount} ${draft.asset}`, to: `${W.kinds[draft.kind]} ${draft.to}` })}
          </strong>
        </p>
      )}
    </Form>
  );
}

interface ToProps {
  readonly source: Source;
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
  readonly errors: Readonly<Record<string, string>>;
}

/** What is in the field "to", by the kind of destination. */
const LABELS = { account: W.accountId, wallet: W.walletId, address: words.wallets.address } as const;
const ERRORS = {
  account: 'destination.account_id',
  wallet: 'destination.wallet_id',
  address: 'destination.address',
} as const;

function To({ source, draft: { kind, chain, to }, onChange, errors }: ToProps): JSX.Element {
  const { address: outside, ...inside } = W.kinds;
  return (
    <>
      <Choice
        label={W.kind}
        value={kind}
        options={source.kind === 'wallet' ? { ...inside, address: outside } : inside}
        onChange={(next) => onChange({ kind: next, to: '' })}
        error={errors['destination']}
      />
      {kind === 'address' && (
        <Choice
          label={words.wallets.chain}
          value={chain}
          options={words.wallets.chains}
          onChange={(next) => onChange({ chain: next })}
          error={errors['destination.chain']}
        />
      )}
      {kind === 'address' && <Listed walletId={source.id} onChosen={onChange} to={to} />}
      {kind === 'wallet' && <OwnWallets onChosen={(id) => onChange({ to: id })} to={to} />}
      <TextField
        label={LABELS[kind]}
        value={to}
        onChange={(text) => onChange({ to: text.trim() })}
        error={errors[ERRORS[kind]]}
      />
    </>
  );
}

interface OwnWalletsProps {
  readonly to: string;
  readonly onChosen: (walletId: string) => void;
}

/** One's own wallets, to choose from instead of typing. */
function OwnWallets({ to, onChosen }: OwnWalletsProps): JSX.Element | null {
  const { value } = useLoaded('wallets', (signal) =>
    session.value.client.get('/wallets', { params: { query: { limit: 200 } }, signal }),
  );
  if (value === undefined || value.data.length === 0) return null;
  const names = value.data.map(({ wallet_id: id, name }): [string, string] => [id, name]);
  const options: Record<string, string> = { '': W.anotherWallet, ...Object.fromEntries(names) };
  return <Choice label={W.ownWallet} value={to in options ? to : ''} options={options} onChange={onChosen} />;
}

interface ListedProps {
  readonly walletId: string;
  readonly to: string;
  readonly onChosen: (changes: Pick<Draft, 'chain' | 'to'> | Pick<Draft, 'to'>) => void;
}

/** The destinations that are listed, where there are some. */
function Listed({ walletId, to, onChosen }: ListedProps): JSX.Element | null {
  const { value } = useLoaded(walletId, (signal) =>
    session.value.client.get('/wallets/{wallet_id}/destinations', {
      params: { path: { wallet_id: walletId }, query: { limit: 200 } },
      signal,
    }),
  );
  if (value === undefined || value.data.length === 0) return null;
  const names = value.data.map(({ address, label }): [string, string] => [address, `${label} (${address})`]);
  const options: Record<string, string> = { '': W.another, ...Object.fromEntries(names) };
  const choose = (address: string): void => {
    const chain = value.data.find((each) => each.address === address)?.chain as Draft['chain'] | undefined;
    onChosen(chain === undefined ? { to: address } : { chain, to: address });
  };
  return <Choice label={W.listed} value={to in options ? to : ''} options={options} onChange={choose} />;
}
