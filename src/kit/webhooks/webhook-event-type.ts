import type { Type } from '@nestjs/common';
import { type Scope } from '../security/scope.js';

/** An endpoint's filter within its event types: texts and lists of texts by name. */
export type WebhookFilter = Readonly<Record<string, string | readonly string[]>>;

export interface WebhookEventDeclaration<Data extends object> {
  /** Such as `news.published`: the group, and what happened. Part of the public API: never rename it. */
  readonly name: string;
  /** One sentence for the catalogue, such as "A news item was published." */
  readonly description: string;
  /** The shape of `data`, as it is documented. */
  readonly data: Type<Data>;
  /** The scope that a principal needs to register for it; absent where the event is public. */
  readonly scope?: Scope;
  /** Whether it tells what the ledger did: listeners of plugins follow the ledger instead. */
  readonly isOfLedger?: true;
  /** Whether an endpoint with this filter gets the event; always, where absent. */
  matches?(data: Data, filter: WebhookFilter): boolean;
}

/** A type of event that endpoints can register for. Declare it once as a constant of the group it belongs to. */
export class WebhookEventType<Data extends object> {
  constructor(readonly declaration: WebhookEventDeclaration<Data>) {}

  get name(): string {
    return this.declaration.name;
  }

  /** The name of the scope that it takes to register for it. */
  get scope(): string | undefined {
    return this.declaration.scope?.name;
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- types of events with any data
export type AnyEventType = WebhookEventType<any>;

/** The audience of an event. Within it, each endpoint's types and filter decide. */
export type WebhookAudience =
  | 'everyone'
  /** Endpoints of all principals who act on this owner's accounts, see `Principal.accountOwner`. */
  | { readonly accountOwner: string }
  /** Endpoints of these principals alone, by `Principal.key`. */
  | { readonly principals: readonly string[] };

/** An event to publish. */
export interface WebhookEvent<Data extends object = object> {
  readonly type: WebhookEventType<Data>;
  readonly data: Data;
  readonly audience: WebhookAudience;
  /** When it happened; now where absent. */
  readonly at?: Date;
  /**
   * Identifies the event: one that is published twice under a key is delivered once, such as `order.filled:fil_…`. For
   * publishers that restart after a crash; unique among all types.
   */
  readonly key?: string;
}
