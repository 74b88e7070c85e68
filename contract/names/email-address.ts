/** The form of an e-mail address. Deliberately wide: whether an address works is known only by writing to it. */
export const emailAddress = /^[^\s\p{C}@<>"(),:;\\]+@[^\s\p{C}@<>"(),:;\\]+$/u;
