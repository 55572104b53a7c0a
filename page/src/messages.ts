/**
 * The few technical sentences that the protocol lacks. All other words a participant reads come with the study.
 * They are neutral: nothing here may hint at what the study looks for. A pair is a title and its text.
 */

export const messages = {
  keys: 'Keys F / J ',
  on: 'on',
  off: 'off',
  progress: 'Progress',
  retry: 'Try now',

  unreachable: 'There is no connection right now. Your answers are kept in this browser and sent when it is back.',
  sent: 'The connection is back. All your answers have been sent.',
  refused: 'An answer could not be stored yet. It is kept in this browser and sent again. Error ',
  memory: 'This browser keeps nothing. Please leave this page open until the end.',

  connecting: ['Connecting', 'This page is waiting for the connection. It goes on by itself.'],
  waiting: ['The next texts are on their way', 'This page is waiting for the connection. Your answers are kept. It goes on by itself.'],
  finishing: ['Sending your answers', 'Please leave this page open. It goes on by itself.'],
  elsewhere: ['This survey is open in another tab', 'You can go on there, or go on here. Your answers are kept.'],
  takeOver: 'Go on here',
  closed: ['This session has ended', 'It can no longer be continued. You can close this page.'],
  unknown: ['This session was not found', 'You can begin a new one.'],
  startAgain: 'Begin anew',

  code: ['WELCOME', 'If your invitation has a code, please enter it here.'],
  codeLabel: 'Code:',
  codeUnknown: 'There is no such code. Please check your invitation.',
  noCode: 'I HAVE NO CODE',
  save: 'Save',
  saveAnswers: 'Save my answers',
  handOver: ['SAVE YOUR ANSWERS', 'Your answers are kept in this browser only. Please save them as a file and give the file to the person who invited you.'],
  ownCode: 'Your personal code. To have your answers deleted later, give it to the person who invited you:',
  saveButton: 'SAVE THE FILE',
  deleteLocal: 'Delete my answers from this browser',

  comment: ['YOUR COMMENTS', 'Was anything unclear, broken or tiring?'],
} as const;
