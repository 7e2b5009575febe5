/** Who owns accounts through clients, of which this floor knows nothing. */
export abstract class ClientOwners {
  /** The key of the owner of a client's accounts; undefined if it is unknown, or its owner is locked or closed. */
  abstract accountOwnerOf(clientId: string): Promise<string | undefined>;
}
