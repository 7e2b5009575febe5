import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { grouped } from '../decimal.js';
import { words } from '../words/index.js';

export type OrderPreview = components['schemas']['OrderPreviewDto'];

interface PreviewProps {
  readonly preview: OrderPreview;
  readonly quoteAsset: string;
}

/** What an order would do, before it is sent. */
export function Preview({ preview, quoteAsset }: PreviewProps): JSX.Element {
  const { title, none, fills, average, fees, hold, ahead, netted, fee, rejected } = words.preview;
  const { average_fill_price, status_reason, queue_ahead_size, netting } = preview;
  const rows: [string, string][] = [
    ...(average_fill_price === null
      ? []
      : [[average, `${grouped(average_fill_price)} ${quoteAsset}`] as [string, string]]),
    [fees, `${grouped(preview.fees)} ${quoteAsset}`],
    [hold, `${grouped(preview.hold.amount)} ${preview.hold.asset}`],
    ...(queue_ahead_size === null ? [] : [[ahead, grouped(queue_ahead_size)] as [string, string]]),
    ...(netting === null ? [] : [[netted, `${grouped(netting.amount)} ${quoteAsset}`] as [string, string]]),
  ];
  return (
    <section class="preview" aria-label={title} aria-live="polite">
      <h3>{title}</h3>
      {preview.status === 'rejected' && <p class="error">{rejected(status_reason ?? preview.status)}</p>}
      {preview.fills.length === 0 ? (
        <p>{none}</p>
      ) : (
        <table>
          <caption class="hidden">{fills}</caption>
          <thead>
            <tr>
              <th scope="col">{words.market.price}</th>
              <th scope="col" class="number">
                {words.market.size}
              </th>
              <th scope="col" class="number">
                {fee}
              </th>
            </tr>
          </thead>
          <tbody>
            {preview.fills.map((each, at) => (
              <tr key={at}>
                <td>{grouped(each.price)}</td>
                <td class="number">{grouped(each.size)}</td>
                <td class="number">{grouped(each.fee)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
