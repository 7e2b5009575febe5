import type { Audience } from './audiences.js';

/** What Swagger UI fills in for a scheme: public values of the demo data. */
export interface DemoCredentials {
  readonly clientId: string;
  readonly clientSecret?: string;
}

/** What the document of the API says that no route declares: the application hands it in. */
export abstract class ApiTexts {
  /** The groups of the interface, in its order, as the document's tags. */
  abstract readonly tags: readonly (readonly [name: string, description: string])[];
  /** The tags of groups that are samples, open to all whatever credentials they take. */
  abstract readonly sampleTags: readonly string[];
  /** The tag of the events of webhooks. */
  abstract readonly webhookTag: string;
  /** The operation that registers a webhook: its method and path. */
  abstract readonly registersWebhooks: string;
  /** The operation whose answer is the token of a session: its path. */
  abstract readonly logInPath: string;
  /** For whom Swagger UI acts with the demo data: by audience, and by scheme. */
  abstract readonly demoCredentials: Readonly<
    Partial<Record<Audience, Readonly<Record<string, DemoCredentials>>>>
  >;
  /** What each error code means, wherever it is answered. */
  abstract readonly errorMeanings: Readonly<Record<string, string>>;
  /** Operations that have another name than the rule would give them: by method and path. */
  abstract readonly operationIds: Readonly<Record<string, string>>;
  /** Under what acts, by their operation ids, stand in audit logs of versions that had none. */
  abstract readonly formerActions: Readonly<Record<string, string | readonly string[]>>;
  /** Recorded answers: by method and path, and by status. */
  abstract readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
