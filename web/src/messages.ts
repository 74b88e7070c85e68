/** Texts that several parts of the interface share. Texts of one page are in its file. */
export const messages = {
  failed: "This part could not be loaded",
  tryAgain: "Try again",
  requestId: "Request id",
  notFound: "Page not found, or you don't have access to it.",
} as const;
