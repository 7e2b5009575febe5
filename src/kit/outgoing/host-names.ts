import { type LookupAddress, promises as dns } from 'node:dns';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';

const ANSWER_WITHIN_MS = 3_000;
const TRIES = 2;

/** Resolves host names that users provide. */
@Injectable()
export class HostNames {
  private readonly resolver = new dns.Resolver({ timeout: ANSWER_WITHIN_MS, tries: TRIES });

  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'webhookAllowPrivate'>) {}

  /** All addresses of both families; rejects if there are none. */
  async addressesOf(hostName: string): Promise<readonly LookupAddress[]> {
    // In development names may come from the machine's hosts file.
    if (this.config.webhookAllowPrivate) return dns.lookup(hostName, { all: true });
    // Not `lookup`: it blocks threads of the pool that files and password hashes need too, and a few names with
    // unresponsive servers would block all of them.
    const answers = await Promise.allSettled([
      this.resolver.resolve4(hostName).then((all) => all.map((address) => ({ address, family: 4 }))),
      this.resolver.resolve6(hostName).then((all) => all.map((address) => ({ address, family: 6 }))),
    ]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw (answers[0] as PromiseRejectedResult).reason;
    return addresses;
  }
}
