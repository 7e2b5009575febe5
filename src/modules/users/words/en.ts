/** What the news says that users get by mail of what happened to their account. */
export const en = {
  /** Each is a mail. Jobs keep the names. */
  mails: {
    new_device: {
      subject: 'Log-in from a new device',
      what: 'Somebody logged in to your account from a device or a network that was not seen with it before.',
    },
    password_changed: {
      subject: 'Your password was changed',
      what: 'The password of your account was changed. All other sessions have ended.',
    },
    email_changed: {
      subject: 'Your mail address was changed',
      what: 'Your account has another mail address now. This is the last mail to the old one.',
    },
    identity_linked: {
      subject: 'Another log-in was linked',
      what: 'From now on, an identity of another service logs in to your account, too.',
    },
    factor_added: {
      subject: 'Second factor added',
      what: 'Log-ins to your account need a second factor from now on.',
    },
    factor_removed: {
      subject: 'Second factor removed',
      what: 'A second factor of your account was removed.',
    },
    recovery_codes_renewed: {
      subject: 'New recovery codes',
      what: 'The recovery codes of your account were replaced by new ones.',
    },
    api_key_created: {
      subject: 'New API key',
      what: 'An API key was made that acts on your account.',
    },
    signing_key_created: {
      subject: 'New signing key',
      what: 'A key was added that signs requests on your account.',
    },
    key_rotated: {
      subject: 'Key rotated',
      what: 'A key that acts on your account was replaced. The former one is good for a while, if that was asked for.',
    },
    client_created: {
      subject: 'New OAuth client',
      what: 'An OAuth client was made that acts on your account.',
    },
    destination_added: {
      subject: 'New destination for your money',
      what: 'Money of your wallets can go to another address from now on, after the usual wait where there is one.',
    },
    payout_account_added: {
      subject: 'New bank account',
      what: 'A bank account was added to which your money can be paid out.',
    },
    payout_created: {
      subject: 'New payout',
      what: 'A payout out of your account was asked for.',
    },
  },
  /** What facts are called. */
  facts: {
    when: 'When',
    device: 'Device',
    address: 'Address',
    factor: 'Factor',
    name: 'Name',
    scopes: 'It may',
    chain: 'Chain',
    destination: 'Destination',
    account: 'Account',
    payout: 'Payout',
    amount: 'Amount',
    to_account: 'To account',
  },
  /** Facts that are words. */
  values: {
    passkey: 'passkey',
    app: 'authenticator app',
    all_factors: 'all, with the recovery codes',
    no_scopes: 'nothing of its own',
  },
  ending: 'ending in {last4}',
  endingOf: '{currency}, ending in {last4}',
  utc: '{time} UTC',
  look: 'Look at your account',
  closing:
    'Was it you? Then there is nothing to do. If not, set a new password at {address} at once, which ends all sessions, then look through your keys and clients, and tell the operators.',
} as const;
