import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { grouped } from '../decimal.js';
import { useLoaded, useLooks, usePaged } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { Download } from '../parts/download.jsx';
import { Facts } from '../parts/facts.jsx';
import { Badge, type Tone, WhenLoaded } from '../parts/notice.jsx';
import { type Column, PagedTable, Table } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { ReceiptPanel } from '../proof/receipt-panel.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { pathOf, type Source } from './source.js';
import { callsOf, type Transfer, type TransferWithStates } from './transfer-calls.js';
import { TransferForm } from './transfer-form.jsx';

type Status = Transfer['status'];
type Endpoint = components['schemas']['TransferEndpointDto'];
type State = TransferWithStates['states'][number];

const W = words.wallets.transfers;

const TONES: Readonly<Record<Status, Tone>> = {
  pending_approval: 'waits',
  pending: 'waits',
  broadcasting: 'waits',
  confirming: 'waits',
  completed: 'good',
  failed: 'bad',
  rejected: 'bad',
  cancelled: 'plain',
};

function StatusBadge({ status }: { readonly status: Status }): JSX.Element {
  return <Badge tone={TONES[status]} text={W.statuses[status]} />;
}

function nameOf({ type, account_id: account, wallet_id: wallet, address }: Endpoint): string {
  return `${W.kinds[type]} ${address ?? wallet ?? account ?? ''}`;
}

/** Where it went to or came from, as its owner sees it. */
const otherEnd = ({ direction, source, destination }: Transfer): string =>
  nameOf(direction === 'out' ? destination : source);

function columnsOf(source: Source): readonly Column<Transfer>[] {
  return [
    {
      title: W.time,
      cell: ({ transfer_id: id, created_at: at }) => (
        <Link to={`${pathOf(source)}/${id}`}>
          <Moment at={at} />
        </Link>
      ),
    },
    { title: W.direction, cell: ({ direction }) => W.directions[direction] },
    { title: W.amount, isNumber: true, cell: ({ amount, asset }) => `${grouped(amount)} ${asset}` },
    { title: W.other, isWide: true, cell: otherEnd },
    { title: W.status, cell: ({ status }) => <StatusBadge status={status} /> },
  ];
}

/** All that left and came, and the form for the next. */
export function Transfers({ source }: { readonly source: Source }): JSX.Element {
  const calls = callsOf(source);
  const pages = usePaged(`${source.kind} ${source.id}`, calls.list);
  const onSent = (): void => {
    pages.reload();
    source.reload();
  };
  return (
    <>
      <TransferForm source={source} onSent={onSent} />
      <section class="panel">
        <div class="row">
          <h2>{W.title}</h2>
          <Download label={W.csv} fileName="transfers.csv" open={calls.csv} />
        </div>
        <PagedTable
          label={W.title}
          columns={columnsOf(source)}
          pages={pages}
          none={W.none}
          keyOf={({ transfer_id: id, direction }) => `${id} ${direction}`}
        />
      </section>
    </>
  );
}

const STATES: readonly Column<State>[] = [
  { title: W.status, cell: ({ status }) => <StatusBadge status={status} /> },
  { title: W.time, cell: ({ at }) => <Moment at={at} /> },
  { title: W.reason, cell: ({ reason }) => reason ?? '' },
];

interface OneTransferProps {
  readonly source: Source;
  readonly transferId: string;
}

/** One transfer with its states, as they come. */
export function OneTransfer({ source, transferId }: OneTransferProps): JSX.Element {
  const loaded = useLoaded(`${source.id} ${transferId}`, (signal) => callsOf(source).one(transferId, signal));
  useLooks(loaded.value !== undefined && TONES[loaded.value.status] === 'waits', loaded);
  const onCancelled = (): void => {
    loaded.reload();
    source.reload();
  };
  return (
    <>
      <Link to={pathOf(source)}>{W.all}</Link>
      <WhenLoaded of={loaded}>
        {(transfer) => (
          <>
            <Details source={source} transfer={transfer} onCancelled={onCancelled} />
            <TransferReceipt source={source} transfer={transfer} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

interface DetailsProps {
  readonly source: Source;
  readonly transfer: TransferWithStates;
  readonly onCancelled: () => void;
}

function Details({ source, transfer, onCancelled }: DetailsProps): JSX.Element {
  const { amount, asset, fee, fee_asset: feeAsset, status, tx_hash: hash, confirmations, states } = transfer;
  const mayBeCancelled =
    source.kind === 'wallet' &&
    transfer.direction === 'out' &&
    ['pending', 'pending_approval'].includes(status);
  const cancel = (): Promise<unknown> =>
    session.value.client.delete('/wallets/{wallet_id}/transfers/{transfer_id}', {
      params: { path: { wallet_id: source.id, transfer_id: transfer.transfer_id } },
    });
  return (
    <section class="panel">
      <div class="row">
        <h2>{`${W.directions[transfer.direction]}: ${grouped(amount)} ${asset}`}</h2>
        <StatusBadge status={status} />
      </div>
      <Facts
        of={[
          [W.source, <code>{nameOf(transfer.source)}</code>],
          [W.destination, <code>{nameOf(transfer.destination)}</code>],
          [W.fee, fee === '0' ? null : `${grouped(fee)} ${feeAsset}`],
          [W.hash, hash && <code>{hash}</code>],
          [W.confirmations, confirmations],
          [W.reason, transfer.reason],
        ]}
      />
      {mayBeCancelled && (
        <div>
          <Confirm label={W.cancel} what={W.cancelWhat} work={cancel} onDone={onCancelled} />
        </div>
      )}
      <h3>{W.history}</h3>
      <Table
        label={W.history}
        columns={STATES}
        rows={states}
        keyOf={({ status: each, at }) => `${each} ${at}`}
      />
    </section>
  );
}

function TransferReceipt({ source, transfer }: Omit<DetailsProps, 'onCancelled'>): JSX.Element | null {
  const { receipt } = callsOf(source);
  const { transfer_id: id, direction } = transfer;
  const accountId = (direction === 'out' ? transfer.source : transfer.destination).account_id;
  if (receipt === undefined || accountId === undefined) return null;
  const offer = { label: words.proof.ofBooking, fileName: `receipt-${id}.json`, get: () => receipt(id) };
  return <ReceiptPanel accountId={accountId} offers={[offer]} />;
}
