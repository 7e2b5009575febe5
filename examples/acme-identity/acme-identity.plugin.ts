import { Injectable } from '@nestjs/common';
import {
  KycProvider,
  optional,
  OutgoingHttp,
  readers,
  Settings,
  TradepostPlugin,
  type KycCallback,
  type KycExamination,
  type KycOpinion,
  type PersonalData,
} from '../../src/index.js';

const IDENTITY_URL = optional(
  'ACME_IDENTITY_URL',
  readers.baseUrl('https', 'http'),
  'nobody is asked',
  'The address of the identity service, one of OUTGOING_INTERNAL_HOSTS.',
);
const CALLBACK_SECRET = optional(
  'ACME_IDENTITY_SECRET',
  readers.text('whsec_ and base64', /^whsec_[A-Za-z0-9+/=]+$/),
  'callbacks are refused',
  'Signs the callbacks of the identity service (Standard Webhooks).',
);
const OPINIONS: Readonly<Record<string, KycOpinion>> = {
  clear: { verdict: 'clear' },
  review: { verdict: 'review' },
  fake: { verdict: 'reject', code: 'acme_fake', message: 'Send a photo of your real document.' },
};

/** An identity service that examines people in its own time, and calls back at `/kyc-callbacks/acme-identity`. */
@Injectable()
class AcmeIdentity extends KycProvider {
  override readonly name = 'acme-identity';

  constructor(
    private readonly settings: Settings,
    private readonly http: OutgoingHttp,
  ) {
    super();
  }

  override async examine(kycId: string, person: PersonalData): Promise<KycExamination> {
    const url = this.settings.get(IDENTITY_URL);
    if (url === undefined) return { verdict: 'review' };
    // The same case may be sent again after a crash: its id keeps it one.
    const { status, body } = await this.http.request({
      method: 'PUT',
      url: `${url}/cases/${kycId}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: `${person.firstName} ${person.lastName}`, born: person.dateOfBirth }),
      timeoutMs: 10_000,
      bodyBytesMax: 10_000,
      isInternal: true,
      plainHttp: true,
    });
    // A rejected promise is tried again later.
    if (status >= 300) throw new Error(`the identity service answered ${status}`);
    const { reference } = JSON.parse(body.toString()) as { readonly reference: string };
    return { verdict: 'later', reference };
  }

  override callbackSecrets(): readonly string[] {
    const secret = this.settings.get(CALLBACK_SECRET);
    return secret === undefined ? [] : [secret];
  }

  override readCallback(payload: unknown): KycCallback | undefined {
    const { reference, result = '' } = payload as { readonly reference?: string; readonly result?: string };
    const opinion = Object.hasOwn(OPINIONS, result) ? OPINIONS[result] : undefined;
    return reference === undefined || opinion === undefined ? undefined : { reference, opinion };
  }
}

@TradepostPlugin({
  name: 'acme-identity',
  compatibility: '^0.1.0',
  settings: [IDENTITY_URL, CALLBACK_SECRET],
  implementations: [AcmeIdentity],
})
export default class AcmeIdentityPlugin {}
