import { serviceUrl, toldByService } from './router.jsx';

interface Brand {
  readonly name: string;
  /** Below the service's address. */
  readonly logo: string | null;
  readonly support: string | null;
  readonly footer_links: readonly { readonly label: string; readonly url: string }[];
}

/** What the operator calls the service, and shows with its name. */
export const brand = JSON.parse(toldByService('brand') ?? '{}') as Brand;

export const logoUrl = brand.logo === null ? null : new URL(brand.logo, serviceUrl()).pathname;
