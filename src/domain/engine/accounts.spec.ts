import { describe } from 'vitest';
import { event, spot } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';

const plain = { market: spot() };

describe('money that moves without a trade', () => {
  page('comes in and goes out over a rail', plain)`
    ann deposits 10.25 USD
    ann has 1010.25 USD
    ann withdraws 1010.25 USD
    ann has 0 USD
    ann withdraws 0.01 USD           => refused insufficient_funds
  `;

  page('comes and goes in the decimals of its asset, and moves inside in all eighteen', plain)`
    ann deposits 0.001 USD           => refused amount_too_precise
    ann deposits 0.00000001 BTC
    ann withdraws 0.000000001 BTC    => refused amount_too_precise
    ann gives bob 0.000000000000000001 USD
    bob has 1000.000000000000000001 USD
    bob withdraws 1000.000000000000000001 USD   => refused amount_too_precise
    bob withdraws 1000 USD
  `;

  page('is a plain decimal above zero, of a known asset', plain)`
    ann deposits 0 USD               => refused invalid_amount
    ann deposits -1 USD              => refused invalid_amount
    ann deposits 1e3 USD             => refused invalid_amount
    ann deposits 1 DOGE              => refused asset_not_found
  `;

  page('goes from one account to another', plain)`
    ann gives bob 1 USD
    ann gives ann 1 USD              => refused account_not_found
    ann gives nobody 1 USD           => refused account_not_found
    nobody gives ann 1 USD           => refused account_not_found
    bob has 1001 USD
  `;

  page('leaves what is held alone', plain)`
    ann buys 9 @ 100
    ann withdraws 100.01 USD         => refused insufficient_funds
    ann gives bob 100.01 USD         => refused insufficient_funds
    ann withdraws 100 USD
    ann has 0 USD, 900 held
  `;

  page('comes in no further than can be counted', plain)`
    ann deposits 999999999999990000 USD
    bob deposits 10000 USD           => refused invalid_amount
    bob deposits 1000 USD
  `;

  page('stays out of the pools of markets', { market: event() })`
    ann gives pool 1 USD             => refused account_not_found
    bob sells 10 @ 0.50
    ann buys 10 @ 0.50
    pool gives ann 1 USD             => refused account_not_found
    pool has 10 USD
  `;
});

describe('a wallet', () => {
  page('has money like any account, and never trades', plain)`
    vault buys 1 @ 100               => refused account_not_found
    vault is quoted 1 to buy         => refused account_not_found
    vault accepts 1 to buy for 100   => refused account_not_found
    vault gives ann 1000 USD
    vault has 0 USD
    ann gives vault 2000 USD
    transfer t1 holds 500 USD of vault
    transfer t1 pays 200 USD to bank
    vault has 1800 USD
  `;
});

describe('how well an owner is known', () => {
  page('is a level of the account', plain)`
    ann has KYC level 0
    ann gets KYC level 2
    ann has KYC level 2
    bob has KYC level 0
    ann gets KYC level 0
    ann has KYC level 0
    ann gets KYC level 10           => refused invalid_kyc_level
    ann gets KYC level -1           => refused invalid_kyc_level
    ann gets KYC level 0.5          => refused invalid_kyc_level
    nobody gets KYC level 1         => refused account_not_found
  `;

  page('is nothing that a pool has', { market: event() })`
    pool gets KYC level 1           => refused account_not_found
  `;
});

describe('holds of payouts and transfers', () => {
  page('put money aside', plain)`
    payout p1 holds 300 USD of ann
    ann has 700 USD, 300 held
    ann buys 8 @ 100                 => refused insufficient_funds
    ann buys 7 @ 100
    ann has 0 USD, 1000 held
    payout p2 holds 0.01 USD of ann  => refused insufficient_funds
  `;

  page('belong to an owner each', plain)`
    payout p1 holds 1 USD of ann
    payout p1 holds 1 USD of ann     => refused hold_exists
    payout p1 holds 1 USD of bob     => refused hold_exists
    transfer p1 holds 1 USD of ann
    ann has 998 USD, 2 held
    payout p2 holds 1 USD of nobody  => refused account_not_found
    payout p2 holds 0 USD of ann     => refused invalid_amount
  `;

  page('are released once', plain)`
    payout p1 holds 300 USD of ann
    payout p1 is released
    ann has 1000 USD
    payout p1 is released            => refused hold_not_found
    payout p1 is paid to bank        => refused hold_not_found
  `;

  page('are paid out once', plain)`
    payout p1 holds 300 USD of ann
    payout p1 is paid to bank
    ann has 700 USD
    payout p1 is paid to bank        => refused hold_not_found
    payout p1 holds 1 USD of ann     -- a new hold, the old one has ended
  `;

  page('are paid out in part, and the rest is released', plain)`
    transfer t1 holds 300 USD of ann
    transfer t1 pays 0 USD to bank         => refused invalid_amount
    transfer t1 pays -1 USD to bank        => refused invalid_amount
    transfer t1 pays 300.01 USD to bank    => refused insufficient_funds
    transfer t1 pays 0.001 USD to bank     => refused amount_too_precise
    ann has 700 USD, 300 held
    transfer t1 pays 120.50 USD to bank
    ann has 879.5 USD
    transfer t1 pays 1 USD to bank         => refused hold_not_found
    transfer t2 holds 0.002 USD of ann
    transfer t2 pays 0.001 USD to bob
    bob has 1000.001 USD
    ann has 879.499 USD
  `;

  page('go to another account, never to the one that holds', plain)`
    transfer t1 holds 0.001 USD of ann
    transfer t1 is paid to ann       => refused account_not_found
    transfer t1 is paid to nobody    => refused account_not_found
    transfer t1 is paid to bank      => refused amount_too_precise
    transfer t1 is paid to bob
    bob has 1000.001 USD
  `;
});
