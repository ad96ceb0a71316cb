/** The frame of a question at the top of the overview. */
import type { ReactNode } from 'react'
import { Card } from '../../parts/ui.tsx'
import { parts as m } from '../../messages/parts.ts'

type HeroProps = {
  title: string
  /** The one figure, with the link to its rows. */
  figure: ReactNode
  /** The meaning of the figure. */
  meaning: ReactNode
  /** Comparisons in words. */
  words: ReactNode
  children: ReactNode
}

export const Hero = ({ title, figure, meaning, words, children }: HeroProps) => (
  <Card title={title} className='report-hero'>
    <p className='report-hero-figure'>{figure}</p>
    <p className='report-hero-meaning'>{meaning}</p>
    <div className='report-hero-words'>{words}</div>
    {children}
  </Card>
)

/** A hero of the same size that is loading. */
export const HeroSkeleton = ({ title, children }: { title: string, children?: ReactNode }) => (
  <Hero
    title={title}
    figure={
      <span className='report-hero-waiting' role='status'>
        <span className='unseen'>{m.loading}</span>
      </span>
    }
    meaning={<span className='report-hero-waiting' />}
    words={<span className='report-hero-waiting' />}
  >
    <div className='report-line' />
    {children}
  </Hero>
)
