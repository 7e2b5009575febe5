/** Who trades and who attacks: users with money, each with a session of its own. */
import { ApiClient } from '../../scripts/support/api-client.js';
import { DEPOSITS } from '../server/crowd.controller.js';
import type { BenchService, Trader } from '../support/bench-service.js';
import { wireGet } from '../support/load-generator.js';

export class Person {
  private constructor(
    readonly username: string,
    readonly token: string,
    /** The first of them is the one that the user began with. */
    readonly accountIds: readonly string[],
    private readonly client: ApiClient,
  ) {}

  /** Without `maker`, the operator makes the user, who is a person of their own then. */
  static async register(
    service: BenchService,
    username: string,
    { accounts = 1, maker }: { accounts?: number; maker?: Person } = {},
  ): Promise<Person> {
    const client = new ApiClient(service.url, 8);
    const user = { username, password: passwordOf(username) };
    if (maker === undefined) await service.operate('POST', '/user', user);
    else await maker.call(200, 'POST', '/user', user);
    const basic = `${username}:${user.password}`;
    const { body: token } = await client.expect<string>(200, 'GET', '/user/login', { basic });
    const { body: own } = await client.expect<{ data: { account_id: string }[] }>(200, 'GET', '/accounts', {
      token,
    });
    const accountIds = [own.data[0]!.account_id];
    const person = new Person(username, token, accountIds, client);
    while (accountIds.length < accounts) {
      const name = `Account ${accountIds.length}`;
      accountIds.push(
        (await person.call<{ account_id: string }>(201, 'POST', '/accounts', { name })).account_id,
      );
    }
    return person;
  }

  get traders(): Trader[] {
    return this.accountIds.map((accountId) => ({
      accountId,
      token: this.token,
      credential: `Authorization: Bearer ${this.token}`,
    }));
  }

  get password(): string {
    return passwordOf(this.username);
  }

  /** A call that has to succeed. */
  async call<T>(status: number, method: string, path: string, json?: object): Promise<T> {
    const { body } = await this.client.expect<T>(status, method, path, { token: this.token, json });
    return body;
  }

  get(path: string): string {
    return wireGet(path, this.token);
  }

  close(): void {
    this.client.close();
  }
}

/** Puts as much into accounts as every account of the bench begins with. */
export async function fund(service: BenchService, accountIds: readonly string[]): Promise<void> {
  for (const accountId of accountIds) {
    for (const deposit of DEPOSITS) {
      const json = { ...deposit, reference: 'bench' };
      await service.operate('POST', `/admin/accounts/${accountId}/deposits`, json, 201);
    }
  }
}

function passwordOf(username: string): string {
  return `${username}-password`;
}
