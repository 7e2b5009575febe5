export const stepUp = {
  title: 'Is it you?',
  why: 'This needs a proof that it is you, even though you are logged in. It counts for five minutes.',
  code: 'Code',
  codeHint: 'What your authenticator app shows, or one of your recovery codes.',
  recoveryHint: 'One of your recovery codes.',
  password: 'Your password',
  confirm: 'Confirm',
} as const;
