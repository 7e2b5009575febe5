/** Somebody as the chat knows it: a user, or a client that speaks in its own name. */
export interface ChatIdentity {
  /** Of a principal, such as `user:7`: what memberships, messages and reactions belong to. It is never shown. */
  readonly key: string;
  /** What others call it: `<username>`, `client:<client_id>`, or `api_key:<id>` for a key that nobody owns. */
  readonly name: string;
}
