import { lazy, useEffect, useState } from "react";
import { onSignInNeeded, onVerificationNeeded } from "../../api/account/sign-in-again.ts";

const SignInAgain = lazy(async () => ({
  default: (await import("./account/sign-in-again.tsx")).SignInAgain,
}));
const VerifyAgain = lazy(async () => ({ default: (await import("./account/verify-again.tsx")).VerifyAgain }));

type Answer = (isDone: boolean) => void;

/** Dialogs over the page that a request waits for: a new sign-in, and a verification of the user. */
export function Questions() {
  const [answerSignIn, setAnswerSignIn] = useState<Answer | undefined>();
  const [answerVerification, setAnswerVerification] = useState<Answer | undefined>();
  useEffect(() => onSignInNeeded((answer) => setAnswerSignIn(() => answer)), []);
  useEffect(() => onVerificationNeeded((answer) => setAnswerVerification(() => answer)), []);
  return (
    <>
      {answerSignIn && (
        <SignInAgain
          onDone={(isDone) => {
            setAnswerSignIn(undefined);
            answerSignIn(isDone);
          }}
        />
      )}
      {answerVerification && (
        <VerifyAgain
          onDone={(isDone) => {
            setAnswerVerification(undefined);
            answerVerification(isDone);
          }}
        />
      )}
    </>
  );
}
