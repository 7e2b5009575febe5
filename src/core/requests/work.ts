/** Work in the queue of the single writer, and its answers. */
import type { Command, Refusal } from '../../domain/engine/commands.js';
import type { PreviewableCommand, PreviewOf } from '../../domain/engine/preview.js';
import type { QuotePrice, QuoteRequest } from '../../domain/engine/quotes.js';
import type { Owner } from '../../kit/turns/owner.js';
import type { CoreAnswer, CoreRequest } from './requests.js';

/** One thing that waits for its turn in the single writer; owner and trace are known where another process sent it. */
export type Work = { readonly owner?: Owner; readonly trace?: string | undefined } & (
  | { readonly kind: 'request'; readonly request: CoreRequest }
  | { readonly kind: 'preview'; readonly command: PreviewableCommand }
  | { readonly kind: 'quote'; readonly request: QuoteRequest }
);

const CANCELLING: ReadonlySet<Command['type']> = new Set([
  'cancel_order',
  'cancel_order_list',
  'cancel_all_orders',
]);

export type WorkAnswer = CoreAnswer | PreviewOf<PreviewableCommand> | QuotePrice | Refusal;

/** Whether it does nothing but cancel orders. */
export function isCancellation(work: Work): boolean {
  return work.kind === 'request' && work.request.commands.every(({ type }) => CANCELLING.has(type));
}

/** Whether it cancels whatever is there, so that what was sent before it must come before it. */
export function cancelsAll(work: Work): boolean {
  return commandsIn(work).some(({ type }) => type === 'cancel_all_orders');
}

export function commandsIn(work: Work): readonly Command[] {
  switch (work.kind) {
    case 'request':
      return work.request.commands;
    case 'preview':
      return [work.command];
    case 'quote':
      return [];
  }
}
