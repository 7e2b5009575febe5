import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { PayoutBadge } from '../../banking/payout-status.jsx';
import { Badge, type Tone } from '../../parts/notice.jsx';
import { type Column, Table } from '../../parts/table.jsx';
import { UploadForm } from '../../parts/upload-form.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type Report = components['schemas']['PayoutReportDto'];
type Entry = components['schemas']['PayoutReportEntryDto'];

const W = words.deskPayouts;
const TONES: Readonly<Record<Entry['outcome'], Tone>> = {
  applied: 'good',
  unchanged: 'plain',
  ignored: 'bad',
};

const COLUMNS: readonly Column<Entry>[] = [
  {
    title: W.payout,
    cell: ({ payout_id: id, bank_reference: reference }) =>
      id === null ? W.unknown({ reference: reference ?? W.noReference }) : <code>{id}</code>,
  },
  {
    title: W.outcome,
    cell: ({ outcome }) => <Badge tone={TONES[outcome]} text={W.outcomes[outcome]} />,
  },
  {
    title: words.banking.status,
    cell: ({ status }) => (status === null ? '–' : <PayoutBadge status={status} />),
  },
  { title: W.reason, isWide: true, cell: ({ code, reason }) => [code, reason].filter(Boolean).join(' ') },
];

/** What the bank says, by the file that it sends. */
export function UploadReport(): JSX.Element {
  const [report, setReport] = useState<Report | null>(null);
  const send = async (file: File): Promise<string> => {
    setReport(null);
    const form = new FormData();
    form.set('file', file);
    const read = await session.value.client.post('/admin/payout-files/reports', { body: form });
    setReport(read);
    return W.read({ format: read.format, rail: read.rail, count: read.entries.length });
  };
  return (
    <section class="panel">
      <h2>{W.upload}</h2>
      <UploadForm
        label={W.upload}
        submit={W.upload}
        fileLabel={W.reportFile}
        accept=".xml,.txt,.ach,text/plain,application/xml"
        hint={W.uploadHint}
        send={send}
      />
      {report !== null && (
        <>
          <h3>{W.entries}</h3>
          {report.remarks.map((remark) => (
            <p key={remark}>{remark}</p>
          ))}
          <Table
            label={W.entries}
            columns={COLUMNS}
            rows={report.entries}
            keyOf={({ payout_id: id, bank_reference: reference, outcome }) =>
              `${id ?? ''} ${reference ?? ''} ${outcome}`
            }
          />
        </>
      )}
    </section>
  );
}
