/**
 * Address of a sign-in by an identity provider, which returns to the present page. `start` is a path of the service.
 */
export const providerSignIn = (start: string): string =>
  `${start}?return_to=${encodeURIComponent(location.pathname + location.search)}`;
