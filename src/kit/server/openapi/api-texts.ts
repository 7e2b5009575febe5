/** What the document of the API says that no route declares: the application hands it in. */
export abstract class ApiTexts {
  /** The groups of the interface, in its order, as the document's tags. */
  abstract readonly tags: readonly (readonly [name: string, description: string])[];
  /** The tag of the events of webhooks. */
  abstract readonly webhookTag: string;
  /** Operations that have another name than the rule would give them: by method and path. */
  abstract readonly operationIds: Readonly<Record<string, string>>;
  /** Under what acts, by their operation ids, stand in audit logs of versions that had none. */
  abstract readonly formerActions: Readonly<Record<string, string | readonly string[]>>;
  /** Recorded answers: by method and path, and by status. */
  abstract readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
