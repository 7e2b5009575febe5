import type { Type } from '@nestjs/common';
import type { Scope } from '../security/scopes.js';

/** What an endpoint's owner wants to hear of, within the types of events: texts and lists of texts by name. */
export type WebhookFilter = Readonly<Record<string, string | readonly string[]>>;

export interface WebhookEventDeclaration<Data extends object> {
  /** Such as `news.published`: the group, and what happened. Part of the public API, so it stays. */
  readonly name: string;
  /** One sentence for the catalogue, such as "A news item was published." */
  readonly description: string;
  /** The shape of `data`, as it is documented. */
  readonly data: Type<Data>;
  /** What a principal must be allowed to do to register for it; nothing where the event is public. */
  readonly scope?: Scope;
  /** Whether an endpoint with this filter wants to be told; always, where absent. */
  matches?(data: Data, filter: WebhookFilter): boolean;
}

/** A type of event that endpoints can be registered for. Declare it once as a constant of the group it belongs to. */
export class WebhookEventType<Data extends object> {
  constructor(readonly declaration: WebhookEventDeclaration<Data>) {}

  get name(): string {
    return this.declaration.name;
  }
}

/** Whom an event is for. Within it, each endpoint's types and filter decide. */
export type WebhookAudience =
  | 'everyone'
  /** Endpoints of all principals who act on this owner's accounts, see `Principal.accountOwner`. */
  | { readonly accountOwner: string }
  /** Endpoints of these principals alone, by `Principal.key`. */
  | { readonly principals: readonly string[] };

/** Something that happened, to be told. */
export interface WebhookEvent<Data extends object = object> {
  readonly type: WebhookEventType<Data>;
  readonly data: Data;
  readonly audience: WebhookAudience;
  /** When it happened; now where absent. */
  readonly at?: Date;
  /**
   * By which the same event is known again, such as `order.filled:fil_…`: one that is published twice under a
   * key is told once. For publishers that begin again after a crash; unique among all types.
   */
  readonly key?: string;
}
