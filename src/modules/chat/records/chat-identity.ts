/** Somebody as the chat knows it: a user, or a client that speaks in its own name. */
export interface ChatIdentity {
  /** Of a principal, such as `user:7`: the key of memberships, messages and reactions. Never shown. */
  readonly key: string;
  /** Its public name: `<username>`, `client:<client_id>`, or `api_key:<id>` for a key without an owner. */
  readonly name: string;
}
