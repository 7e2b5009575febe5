/** The form that a provider sends. */
export class BackchannelLogoutDto {
  /** A JWT of the provider, for the client that the service is there. */
  logout_token: string;
}
