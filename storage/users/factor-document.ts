/** Second factors in the document of an account. */

export interface Passkey {
  /** Id that the authenticator gave the credential, base64url. */
  id: string;
  name: string;
  /** COSE key, base64url. */
  publicKey: string;
  /** Number of uses as the authenticator counts them; 0 for synced passkeys, which do not count. */
  counter: number;
  transports?: string[];
  deviceType: string;
  backedUp: boolean;
  aaguid: string;
  createdAt: Date;
  lastUsedAt?: Date;
}

export interface Factors {
  /** Number of changes of the set of factors; a change names the one that its writer has read. Absent is 0. */
  revision?: number;
  /** The authenticator app. `lastStep`: the last time step whose code was accepted. */
  totp?: { sealed: string; lastStep: number; confirmedAt: Date };
  /** A secret that is not confirmed yet. */
  pendingTotp?: { sealed: string; expiresAt: Date };
  passkeys?: Passkey[];
  /** SHA-256 of the recovery codes that are left. */
  recovery?: string[];
  /** Keys of these hashes, encrypted; absent for codes that earlier versions of the service have made. */
  recoveryKeys?: string;
  recoveryAt?: Date;
  /** The account's name at authenticators: random, since a credential may show it to others. */
  userHandle?: string;
}
