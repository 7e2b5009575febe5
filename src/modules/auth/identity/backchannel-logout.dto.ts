/** The form that a provider sends. */
export class BackchannelLogoutDto {
  /**
   * A JWT of the provider, for the client that the service is there.
   * @example "eyJ0eXAiOiJsb2dvdXQrand0In0.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl"
   */
  logout_token: string;
}
