import { Injectable } from '@nestjs/common';
import { CredentialStandings } from '../../../kit/security/credential-standings.js';
import { EndpointDisabling } from './endpoint-disabling.js';
import { NEWS_WEBHOOKS } from '../scopes.js';

/** Maximum number of credentials per query. */
const ASKED_AT_ONCE_MAX = 1_000;

/** An endpoint with the key of the credential that made it. */
interface BoundEndpoint {
  readonly endpoint_id: string;
  readonly credential: string;
}

/** Checks endpoints by the credentials that made them: an endpoint whose credential is gone gets no more events. */
@Injectable()
export class EndpointCredentials {
  constructor(
    private readonly standings: CredentialStandings,
    private readonly disabling: EndpointDisabling,
  ) {}

  /**
   * The present scopes of these endpoints' credentials, by their keys. Endpoints whose credential is gone, or may no
   * longer have webhooks, are disabled, and their keys are absent. Rejects as `CredentialStandings` does.
   */
  async judge(endpoints: readonly BoundEndpoint[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const scopes = await this.scopesOfAll(new Set(endpoints.map(({ credential }) => credential)));
    const gone = endpoints.filter(({ credential }) => !scopes.has(credential));
    for (const id of new Set(gone.map(({ endpoint_id }) => endpoint_id))) {
      await this.disabling.disableUncredentialed(id);
    }
    return scopes;
  }

  private async scopesOfAll(keys: ReadonlySet<string>): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const found = new Map<string, ReadonlySet<string>>();
    const asked = [...keys];
    for (let first = 0; first < asked.length; first += ASKED_AT_ONCE_MAX) {
      const some = asked.slice(first, first + ASKED_AT_ONCE_MAX);
      const answers = await Promise.all(some.map((key) => this.standings.scopesOf(key)));
      for (const [i, scopes] of answers.entries()) {
        if (scopes?.has(NEWS_WEBHOOKS.name)) found.set(some[i]!, scopes);
      }
    }
    return found;
  }
}
