import { render } from 'preact';
import { App } from './app.jsx';
import { begin } from './session.js';
import './styles/base.css';
import './styles/parts.css';

if (await begin()) render(<App />, document.getElementById('app')!);
