/**
 * Address of a sign-in through an identity provider, which returns to the current page. `start` is a path of the
 * service.
 */
export const providerSignIn = (start: string): string =>
  `${start}?return_to=${encodeURIComponent(location.pathname + location.search)}`;
