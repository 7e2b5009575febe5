import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useLoaded, useLooks } from '../../live.js';
import { Badge, WhenLoaded } from '../../parts/notice.jsx';
import { type Column, Table } from '../../parts/table.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { Books } from './books.jsx';
import { Charts } from './charts.jsx';

type Check = NonNullable<components['schemas']['HealthDto']['checks']>[number];

const W = words.deskHealth;

const COLUMNS: readonly Column<Check>[] = [
  { title: W.check, cell: ({ name }) => name },
  {
    title: W.healthy,
    cell: ({ healthy }) => <Badge tone={healthy ? 'good' : 'bad'} text={healthy ? W.yes : W.no} />,
  },
  { title: W.detail, cell: ({ detail }) => detail },
];

/** How the house is, as it is now and over the minutes that the page is open. */
export function Health(): JSX.Element {
  const loaded = useLoaded('health', (signal) => session.value.client.get('/health', { signal }));
  useLooks(true, loaded);
  return (
    <>
      <Charts />
      <Books />
      <section class="panel">
        <h2>{W.state}</h2>
        <WhenLoaded of={loaded}>
          {({ status, checks }) => (
            <>
              <p role="status">{W.states[status]}</p>
              <Table label={W.state} columns={COLUMNS} rows={checks ?? []} keyOf={({ name }) => name} />
            </>
          )}
        </WhenLoaded>
      </section>
    </>
  );
}
