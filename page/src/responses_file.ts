/** The file that the static page saves: everything that was answered, as `limen collect` reads it. */

import { mainTaskMs, screensOf, type Saved } from './record';
import type { Answer, Comment, Demographics, StaticAnswer, StaticBoot, StaticResponses, Strategy } from './wire.gen';

/** Give the name of the file: by the code of the invitation, else by the response. */
export function fileName({ drawn, token, code }: Saved): string {
  return `responses_${drawn ? token : code}.json`;
}

/** Give the content of the file, complete or not. */
export function responsesOf(saved: Saved, { study_id, study, plans }: StaticBoot, tab: string): StaticResponses {
  const { token, code, consent_version, screening, started, finished } = saved;
  const plan = plans.find((each) => each.code === code);
  const bodies = new Map<string, unknown>(saved.entries.map(({ path, body }) => [path, { ...body, tab }]));
  const answers = (kind: string, tokenOf: (number: number) => string): StaticAnswer[] => {
    const found: StaticAnswer[] = [];
    for (let number = 1; bodies.has(`${kind}/${number}`); number++) {
      found.push({ number, token: tokenOf(number), answer: bodies.get(`${kind}/${number}`) as Answer });
    }
    return found;
  };
  return {
    schema: 'limen.responses/1',
    study_id,
    response_id: token,
    code,
    consent_version,
    screening,
    started,
    finished,
    main_task_ms: mainTaskMs(saved, study.trial_count),
    practice: answers('practice', (number) => `practice-${number}`),
    trials: answers('trials', (number) => plan?.trials[number - 1]?.token ?? ''),
    strategy: (bodies.get('debrief/strategy') as Strategy | undefined) ?? null,
    demographics: (bodies.get('debrief/demographics') as Demographics | undefined) ?? null,
    screens: screensOf(saved),
    comment: (bodies.get('comment') as Comment | undefined) ?? null,
  };
}
