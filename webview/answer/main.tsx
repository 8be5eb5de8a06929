import { render } from 'preact';
import '../base.css';
import '../icons.css';
import { connect } from '../connect.ts';
import type { AnswerEvents, AnswerMethods } from '../../src/protocol/answerView.ts';

const host = connect<AnswerMethods, AnswerEvents>();
const state = await host.caller.call('ready', undefined);
render(<main>{state.workspace.summary}</main>, document.body);
