/** Sign-in with e-mail and password. */
import type { BreakGlass, SignInMethod, SsoProof } from "../../storage/credentials/sessions.ts";
import type { WithNotice } from "../../storage/mail/notices.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { Account, Credentials } from "../../storage/users/users.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import type { Cookie, RequestInfo } from "../http/route.ts";
import { noticeTo, queueMails } from "../mail/notice.ts";
import { joinAutomatically } from "../orgs/auto-join/join.ts";
import { foldName } from "../users/schema.ts";
import { signUpMode } from "../users/sign-up-mode.ts";
import { noteBreakGlass } from "./break-glass.ts";
import { countingFailures, countSuccess } from "./count-sign-in.ts";
import { checkSignIn } from "./credentials.ts";
import { clientFacts, knownClient, rememberClient } from "./known-clients.ts";
import type { SignIn } from "./schema.ts";
import { startSession } from "./sessions.ts";
import { issueTicket, type FactorNeeded } from "./ticket.ts";

export interface SignedIn {
  user: Account;
  sessionId: string;
  methods: readonly SignInMethod[];
  sso: readonly SsoProof[];
  breakGlass: readonly BreakGlass[];
  /** The session cookie, then the cookie by which the browser is recognized. */
  cookies: Cookie[];
}

/**
 * Checks e-mail and password. Signs in, unless the account has a second factor: then the result has a ticket for it.
 * Throws `invalid_credentials` or `rate_limited`, as `checkSignIn` does.
 */
export async function signIn(
  app: App,
  actor: Actor,
  input: SignIn,
  request: RequestInfo,
): Promise<SignedIn | FactorNeeded> {
  const emailKey = foldName(input.email.trim());
  const client = clientFacts(app, actor, request);
  const user = await countingFailures("password", () =>
    checkSignIn(app, { emailKey, password: input.password, client }),
  );
  if (user.hasFactor) return issueTicket(app, user, client);
  return completeSignIn(app, user, actor, request, ["password"]);
}

/** Additions of a sign-in through an identity provider. */
interface ProviderSession {
  verifiedAt?: Date;
  sso?: readonly SsoProof[];
  events?: EventRow[];
  /** Organization whose provider it is. */
  enteredId?: string;
  /** Records the sign-in once the session exists. */
  record?: () => Promise<void>;
}

/** Starts the session of a proved sign-in, and reports a browser that the account does not know. */
export async function completeSignIn(
  app: App,
  user: Credentials,
  actor: Actor,
  request: RequestInfo,
  methods: readonly SignInMethod[],
  session: ProviderSession = {},
): Promise<SignedIn> {
  // The address alone is not enough: a browser that an attacker uses may be in the same network.
  const client = { ...clientFacts(app, actor, request), ipHash: undefined };
  const isKnown = knownClient(app, user, client) !== undefined;
  const notice = isKnown ? {} : await noticeTo(app, user);
  const signedIn = await startSignedIn(app, user, actor, request, { methods, ...session, ...notice });
  if (!isKnown) queueMails(app, user._id);
  countSuccess(methods);
  return signedIn;
}

/** Starts the session of an authenticated account and remembers the client. */
export async function startSignedIn(
  app: App,
  user: Account,
  actor: Actor,
  request: RequestInfo,
  options: WithNotice & {
    methods: readonly SignInMethod[];
  } & ProviderSession,
): Promise<SignedIn> {
  const kept = options.sso ? {} : keptProofs(actor, user);
  const noted = await noteBreakGlass(app, user, actor.origin, { ...options, ...kept });
  const events = [...noted.events, ...(options.events ?? [])];
  const breakGlass = noted.uses;
  const { enteredId, record, ...session } = options;
  const opened = {
    userAgent: request.userAgent,
    verifiedAt: app.now(),
    ...session,
    ...kept,
    breakGlass,
    events,
  };
  const { sessionId, cookie } = await startSession(app, user, actor, opened);
  const [device] = await Promise.all([
    rememberClient(app, user._id, clientFacts(app, actor, request)),
    joinAutomatically(app, user, actor.origin, enteredId),
    record?.(),
  ]);
  const { methods, sso = [] } = opened;
  return { user, sessionId, methods, sso, breakGlass, cookies: [cookie, device] };
}

/** Sign-ins through providers stay valid in a session that the same person renews with credentials of their own. */
function keptProofs(actor: Actor, { _id }: Account): { sso?: readonly SsoProof[] } {
  if (actor.kind !== "user" || actor.userId !== _id || actor.via.kind !== "session") return {};
  return actor.via.sso?.length ? { sso: actor.via.sso } : {};
}

/** Whether an account can be created without an invitation. The first account of a service always can. */
export async function isSignUpOpen(app: App): Promise<boolean> {
  const [mode, hasAccount] = await Promise.all([signUpMode(app), app.storage.users.hasAny()]);
  return mode === "open" || !hasAccount;
}
